import type { Scope } from "../access/scope.ts";
import type { OutageRegions } from "../contract/messages.ts";
import type { MonitorTransition } from "../contract/monitor-transition.ts";
import { type Db, runBatch, type Statement } from "../data/db.ts";
import { findMonitor, listRecordedSeqs } from "../data/monitors/read.ts";
import { hasOutage } from "../data/outages/read.ts";
import { endOutage, insertOutage, updateRegions } from "../data/outages/write.ts";
import { idFrom } from "../platform/ids.ts";
import type { TransitionContext } from "./monitor-event.ts";

/** An outage that is not recorded is looked for again after this. */
const RECORDED_LATER_S = 10;

const outageIdOf = (monitorId: string, seq: number) => idFrom("outage", monitorId, String(seq));

/** Whether a transition continues an outage whose announced beginning a restore of D1 has lost, in any status. */
export async function continuesLostOutage(db: Db, { transition, monitor }: TransitionContext): Promise<boolean> {
  const { outage } = transition;
  if (!outage || !mayContinueLost(transition)) return false;
  return !(await hasOutage(db, outageIdOf(monitor.id, outage.seq)));
}

function mayContinueLost({ to, event, follows_gap }: MonitorTransition): boolean {
  return follows_gap === true && to !== "up" && event === null;
}

/** What a transition adds to the list of outages: its beginning or its end. Repeated, it changes nothing. */
export function recordOutage(
  db: Db,
  { transition, monitor }: TransitionContext,
  { in_maintenance }: { in_maintenance: boolean },
): Statement[] {
  const { outage, failure } = transition;
  if (!outage) return [];
  const id = outageIdOf(monitor.id, outage.seq);
  if (transition.to === "up") return [endOutage(db, id, transition.effective_at)];
  if (transition.seq !== outage.seq && !mayContinueLost(transition)) return [];
  return [
    insertOutage(db, {
      id,
      monitor_id: monitor.id,
      seq: outage.seq,
      status_page_id: monitor.status_page_id,
      started_at: outage.started_at,
      ended_at: null,
      cause: failure?.message ?? transition.message,
      regions: failure?.regions ?? [],
      in_maintenance,
      evidence: failure?.evidence ?? null,
    }),
  ];
}

/** Stores where the first round of an outage failed. The transition that opens it may be recorded later than that. */
export async function completeRegions({ db, env }: Scope, completed: OutageRegions): Promise<void> {
  const { monitor_id, seq, regions } = completed;
  const [[recorded], monitor] = await Promise.all([
    listRecordedSeqs(db, monitor_id, [seq]),
    findMonitor(db, monitor_id),
  ]);
  if (recorded !== undefined) await runBatch(db, [updateRegions(db, outageIdOf(monitor_id, seq), regions)]);
  else if (monitor)
    await env.EVENTS.send({ kind: "regions", regions_of: completed }, { delaySeconds: RECORDED_LATER_S });
}
