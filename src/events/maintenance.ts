import type { Scope } from "../access/scope.ts";
import { runBatch } from "../data/db.ts";
import {
  isAdvanced,
  listDueMaintenance,
  listDueMaintenanceAmong,
  type MaintenanceRecord,
} from "../data/maintenance/read.ts";
import { recordOccurrences, updateMaintenance } from "../data/maintenance/write.ts";
import { bumpPageVersion } from "../data/status-pages/write.ts";
import { failBatchWhen } from "../data/write-guards/write.ts";
import { announcedStart, findOccurrence, trackBoundary } from "../domain/maintenance.ts";
import type { Occurrence } from "../domain/recurrence.ts";
import { processInPortions } from "../platform/minute-queue.ts";
import { boundaryAudit } from "./audit.ts";
import { boundaryEvent, publish } from "./emit.ts";

const WINDOWS_PER_MINUTE = 10_000;
/** A window takes nine queries. */
const WINDOWS_PER_MESSAGE = 100;

/** Every minute: publishes due starts and ends of windows. */
export async function sweepMaintenance(scope: Scope): Promise<void> {
  const items = await listDueMaintenance(scope.db, scope.now, WINDOWS_PER_MINUTE);
  const work = { part: "maintenance windows", items, per_message: WINDOWS_PER_MESSAGE } as const;
  await processInPortions(scope, work, advanceMaintenance);
}

export async function advanceMaintenance(scope: Scope, maintenanceIds: readonly string[]): Promise<void> {
  for (const { window, timezone } of await listDueMaintenanceAmong(scope.db, scope.now, maintenanceIds)) {
    try {
      await advance(scope, window, timezone);
    } catch (error) {
      // Changed by a user in this moment, or to be retried in a minute; the other windows continue.
      scope.log.error("maintenance advance failed", error, { maintenance_id: window.id });
    }
  }
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
  const events: ReturnType<typeof boundaryEvent>[] = [];
  if (announcedStart(window) === null) events.push(boundaryEvent(window, { name: "maintenance.started", occurrence }));
  if (isOver) events.push(boundaryEvent(window, { name: "maintenance.completed", occurrence }));
  const publication = publish(scope, events);
  await runBatch(db, [
    failBatchWhen(db, "stale", isAdvanced(window)),
    updateMaintenance(db, window.id, { ...next, done_until }),
    ...recordOccurrences(db, [{ maintenance_id: window.id, ...occurrence }]),
    ...publication.statements,
    ...events.map((event) => boundaryAudit(db, window, event, now)),
    bumpPageVersion(db, window.status_page_id, now),
  ]);
  await publication.wake();
}
