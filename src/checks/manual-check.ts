import type { Scope } from "../access/scope.ts";
import { DEFAULT_REGION, type DryRunResult, type ManualCheckResult } from "../contract/check.ts";
import type { CheckerOutcome } from "../contract/checker.ts";
import type { MonitorType } from "../contract/monitor-values.ts";
import { loadCheckGroup } from "../data/check-groups/read.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import { inLane } from "../domain/check-schedule.ts";
import { STATUS_OF_OUTCOME } from "../domain/check-status.ts";
import { evaluateResultRules } from "../events/metric-rules.ts";
import { now } from "../platform/clock.ts";
import { currentColo } from "../platform/colo.ts";
import type { CheckJob } from "../probes/run.ts";
import { enqueueChecks } from "./enqueue.ts";
import { runCheck } from "./probe-check.ts";
import { checkFrom } from "./region-checker.ts";
import { storeResults, toResultBlock } from "./result-history.ts";
import { checkMonitors, toMonitorResult } from "./runner.ts";
import { laneOf, recordChecks } from "./slot-record.ts";

/**
 * Checks a monitor now, where this runs, for the first of its regions. It counts as a round of its own, like every check:
 * the other regions join in at once, so that the round gets its verdict.
 */
export async function checkNow(scope: Scope, monitor: MonitorRecord): Promise<ManualCheckResult> {
  const slot = { region: monitor.regions[0] ?? DEFAULT_REGION, slot_at: scope.now, attempt: 0, is_manual: true };
  const { group } = await loadCheckGroup(scope.db, monitor.check_group_id);
  if (!group) throw new Error("a checked monitor has no group");
  const [checked] = await checkMonitors(scope, [monitor], slot);
  if (!checked) throw new Error("a check gave no result");
  const block = toResultBlock({ ...slot, group_id: group.id, monitor_id: monitor.id }, [checked]);
  await Promise.all([
    recordChecks(
      scope,
      {
        ...slot,
        monitor_id: monitor.id,
        group,
        begun_at: slot.slot_at,
        isFirst: false,
        isWholeGroup: false,
        resting: [],
      },
      [checked],
    ),
    storeResults(scope, { shard_id: monitor.shard_id, region: slot.region, block }),
  ]);
  await evaluateResultRules(scope, [toMonitorResult(checked, slot)]);
  const regions = monitor.regions.slice(1);
  if (regions.length > 0) {
    const check_group_id = inLane(group.id, laneOf(checked.result));
    await enqueueChecks(scope.env, [{ id: monitor.id, check_group_id, regions }], slot.slot_at);
  }
  return reportOf(checked, slot.region);
}

interface DryRun {
  type: MonitorType;
  job: CheckJob;
  /** None: where this runs. */
  regions: readonly string[];
}

/** Checks settings that are not saved, from each of the regions at once. Stores nothing. */
export async function dryRunCheck(scope: Scope, { type, job: saved, regions }: DryRun): Promise<DryRunResult> {
  const job = { ...saved, reads_certificate: true };
  const places = regions.length === 0 ? [DEFAULT_REGION] : regions;
  return { regions: await Promise.all(places.map((region) => dryRunFrom(scope, region, { type, job }))) };
}

async function dryRunFrom(scope: Scope, region: string, { type, job }: Omit<DryRun, "regions">) {
  if (region === DEFAULT_REGION) {
    const checked_at = now();
    const result = await runCheck(scope, type, job);
    return reportOf({ checked_at, colo: currentColo(), result }, region);
  }
  const jobs = [{ type, ...job }];
  const [found] = await checkFrom(scope, { region, jobs }, async (outcome) => outcome);
  if (!found) throw new Error("a check gave no result");
  return reportOf(found, region);
}

function reportOf({ checked_at, colo = null, result }: CheckerOutcome, region: string): ManualCheckResult {
  const { latency_ms, message, details } = result;
  return { status: STATUS_OF_OUTCOME[result.outcome], latency_ms, message, region, colo, checked_at, details };
}
