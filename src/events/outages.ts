import type { Db, Statement } from "../data/db.ts";
import { endOutage, insertOutage } from "../data/outages/write.ts";
import { idFrom } from "../platform/ids.ts";
import type { TransitionContext } from "./incidents.ts";

/** What a transition adds to the list of outages: its beginning or its end. Repeated, it changes nothing. */
export function recordOutage(
  db: Db,
  { transition, monitor }: TransitionContext,
  { in_maintenance }: { in_maintenance: boolean },
): Statement[] {
  const { outage, failure } = transition;
  if (!outage) return [];
  const id = idFrom("outage", monitor.id, String(outage.seq));
  if (transition.to === "up") return [endOutage(db, id, transition.effective_at)];
  if (transition.seq !== outage.seq) return [];
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
