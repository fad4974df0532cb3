import type { Scope } from "../access/scope.ts";
import type { NewEvent } from "../contract/events.ts";
import { runBatch } from "../data/db.ts";
import { isAdvanced, listDueMaintenance, type MaintenanceRecord } from "../data/maintenance/read.ts";
import { recordOccurrences, updateMaintenance } from "../data/maintenance/write.ts";
import { bumpPageVersion } from "../data/status-pages/write.ts";
import { failBatchWhen } from "../data/write-guards/write.ts";
import { announcedStart, findOccurrence, trackBoundary } from "../domain/maintenance.ts";
import type { Occurrence } from "../domain/recurrence.ts";
import { invalidatePage } from "../platform/page-cache.ts";
import { boundaryEvent, publish } from "./emit.ts";
import { sweepSuppressions } from "./suppression.ts";

const BOUNDARIES_PER_MINUTE = 500;

/** Every minute: publishes due starts and ends of windows, then alerts for monitors that are still down after one. */
export async function sweepMaintenance(scope: Scope): Promise<void> {
  for (const { window, timezone } of await listDueMaintenance(scope.db, scope.now, BOUNDARIES_PER_MINUTE)) {
    try {
      await advance(scope, window, timezone);
    } catch (error) {
      // Changed by a user in this moment, or to be retried in a minute; the other windows continue.
      scope.log.error("maintenance not advanced", error, { maintenance_id: window.id });
    }
  }
  await sweepSuppressions(scope);
}

/** Commits the boundary that is due. Where the end is due as well, both events are published in order. */
async function advance(scope: Scope, window: MaintenanceRecord, timezone: string): Promise<void> {
  const { db } = scope;
  const now = scope.now;
  const { occurrence_start_at: start_at, occurrence_end_at: end_at } = window;
  if (start_at === null || end_at === null) return;
  const occurrence: Occurrence = { start_at, end_at };
  const isOver = end_at <= now;
  const done_until = isOver ? start_at + 1 : window.done_until;
  const next = isOver
    ? trackBoundary(findOccurrence({ ...window, done_until }, timezone, now), null)
    : trackBoundary(occurrence, start_at);
  const events: NewEvent[] = [];
  if (announcedStart(window) === null) events.push(boundaryEvent(window, { name: "maintenance.started", occurrence }));
  if (isOver) events.push(boundaryEvent(window, { name: "maintenance.completed", occurrence }));
  const publication = publish(scope, events);
  await runBatch(db, [
    failBatchWhen(db, "stale", isAdvanced(window)),
    updateMaintenance(db, window.id, { ...next, done_until }),
    recordOccurrences(db, [{ maintenance_id: window.id, ...occurrence }]),
    ...publication.statements,
    bumpPageVersion(db, window.status_page_id, now),
  ]);
  invalidatePage(window.status_page_id);
  await publication.wake();
}
