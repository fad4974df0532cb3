import type { Deps } from "../access/scope.ts";
import { type AdHocResult, DEFAULT_REGION } from "../contract/check.ts";
import type { MonitorType } from "../contract/monitor-values.ts";
import { loadGroup } from "../data/check-groups/read.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import { inLane, shardOf } from "../domain/check-schedule.ts";
import { STATUS_OF_OUTCOME } from "../domain/check-status.ts";
import { proberObject } from "../platform/prober-objects.ts";
import type { ProbeResult } from "../probes/port.ts";
import type { CheckJob } from "../probes/run.ts";
import { enqueueChecks } from "./enqueue.ts";
import { checkMonitors, historyRow, laneOf, probeOnce, recordChecks } from "./runner.ts";

/**
 * Checks a monitor now, where this runs, for the first of its regions. It counts as a round of its own, like every check:
 * the other regions join in at once, so that the round gets its verdict.
 */
export async function checkNow(deps: Deps, monitor: MonitorRecord): Promise<AdHocResult> {
  const slot = { region: monitor.regions[0] ?? DEFAULT_REGION, slot_at: deps.now(), attempt: 0 };
  const { group } = await loadGroup(deps.db, monitor.check_group_id);
  if (!group) throw new Error("a checked monitor has no group");
  const [checked] = await checkMonitors(deps, [monitor], slot);
  if (!checked) throw new Error("a check gave no result");
  const row = historyRow({ ...slot, group_id: group.id, monitor_id: monitor.id }, [checked]);
  await Promise.all([
    recordChecks(deps, { ...slot, group, begun_at: slot.slot_at, isWholeGroup: false }, [checked]),
    proberObject(deps.env, shardOf(group.id), slot.region).record(row),
  ]);
  const regions = monitor.regions.slice(1);
  if (regions.length > 0) {
    const check_group_id = inLane(group.id, laneOf(checked.result));
    await enqueueChecks(deps.env, [{ id: monitor.id, check_group_id, regions }], slot.slot_at);
  }
  return reportOf(checked.result, slot.region, checked.checked_at);
}

/** Checks what is no monitor yet: nothing is told or kept. */
export async function tryCheck(deps: Deps, type: MonitorType, job: CheckJob): Promise<AdHocResult> {
  const checked_at = deps.now();
  return reportOf(await probeOnce(deps, type, job), DEFAULT_REGION, checked_at);
}

function reportOf(result: ProbeResult, region: string, checked_at: number): AdHocResult {
  const { latency_ms, message, details } = result;
  return { status: STATUS_OF_OUTCOME[result.outcome], latency_ms, message, region, checked_at, details };
}
