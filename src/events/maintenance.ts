import type { Deps } from "../access/scope.ts";
import { runBatch } from "../data/db.ts";
import { refuseWhen } from "../data/idempotency/write.ts";
import { isAdvanced, listDueMaintenance, type MaintenanceRecord } from "../data/maintenance/read.ts";
import { recordOccurrences, updateMaintenance } from "../data/maintenance/write.ts";
import { bumpPageVersion } from "../data/status-pages/write.ts";
import { findOccurrence, toldStart, trackOccurrence } from "../domain/maintenance.ts";
import type { Occurrence } from "../domain/recurrence.ts";
import { forgetPage } from "../platform/page-cache.ts";
import { edgeEvent, emitEvent, type NewEvent, wakeEvents } from "./emit.ts";
import { releaseOutages } from "./suppression.ts";

const EDGES_PER_MINUTE = 500;

/** Every minute: tells of the windows that began or ended, then of what is still down at the end of one. */
export async function sweepMaintenance(deps: Deps): Promise<void> {
  for (const { window, timezone } of await listDueMaintenance(deps.db, deps.now(), EDGES_PER_MINUTE)) {
    try {
      await advance(deps, window, timezone);
    } catch (error) {
      // Somebody changed it in this moment, or it can be done in a minute; the others go on.
      deps.log.error("maintenance not advanced", error, { maintenance_id: window.id });
    }
  }
  await releaseOutages(deps);
}

/** Commits the edge that is due. Where we were away for so long that the end is due as well, both are told in order. */
async function advance(deps: Deps, window: MaintenanceRecord, timezone: string): Promise<void> {
  const { db } = deps;
  const now = deps.now();
  const { occurrence_start_at: start_at, occurrence_end_at: end_at } = window;
  if (start_at === null || end_at === null) return;
  const occurrence: Occurrence = { start_at, end_at };
  const isOver = end_at <= now;
  const done_until = isOver ? start_at + 1 : window.done_until;
  const next = isOver
    ? trackOccurrence(findOccurrence({ ...window, done_until }, timezone, now), null)
    : trackOccurrence(occurrence, start_at);
  const events: NewEvent[] = [];
  if (toldStart(window) === null) events.push(edgeEvent(window, { name: "maintenance.started", occurrence }));
  if (isOver) events.push(edgeEvent(window, { name: "maintenance.completed", occurrence }));
  await runBatch(db, [
    refuseWhen(db, "stale", isAdvanced(window)),
    updateMaintenance(db, window.id, { ...next, done_until }),
    recordOccurrences(db, [{ maintenance_id: window.id, ...occurrence }]),
    ...events.map((event) => emitEvent(db, event)),
    bumpPageVersion(db, window.status_page_id, now),
  ]);
  forgetPage(window.status_page_id);
  const eventIds = events.map(({ id }) => id);
  await wakeEvents(deps.env, deps.log, eventIds);
}
