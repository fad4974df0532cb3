import type { RequestScope } from "../../access/scope.ts";
import type { NewEvent } from "../../contract/events.ts";
import { findMaintenanceSubject } from "../../data/events/subject.ts";
import type { MaintenanceRecord } from "../../data/maintenance/read.ts";
import { recordOccurrences } from "../../data/maintenance/write.ts";
import { describeSubject } from "../../domain/event-subject.ts";
import { announcedStart } from "../../domain/maintenance.ts";
import type { Occurrence } from "../../domain/recurrence.ts";
import { boundaryEvent, rescheduledEvent } from "../../events/emit.ts";
import { trackedOccurrence, withoutSubscribers } from "./subscriber-messages.ts";

const UNCHANGED = { statements: [], events: [] };

/**
 * What a change does to the occurrence in progress, so that its start is followed by its end: it ends when the changed
 * window says, or now if the window has moved away from it. New targets count for the whole of it.
 */
export function followBegun(
  ctx: RequestScope,
  current: MaintenanceRecord,
  changed: MaintenanceRecord,
  isRetargeted: boolean,
) {
  const begun = announcedOccurrence(current);
  const after = trackedOccurrence(changed);
  const isRewritten = isRetargeted || changed.is_public !== current.is_public;
  if (!begun || (!isRewritten && after?.start_at === begun.start_at && after.end_at === begun.end_at)) return UNCHANGED;
  const isGoingOn = after?.start_at === begun.start_at;
  const occurrence = isGoingOn ? after : endedBy(ctx.now, begun);
  const isMoved = isGoingOn && after.end_at !== begun.end_at;
  const moved = isMoved ? [rescheduledEvent(changed, occurrence, ctx.now)] : [];
  return {
    statements: recordOccurrences(ctx.db, [{ maintenance_id: current.id, ...occurrence }]),
    events: isGoingOn ? moved : [boundaryEvent(changed, { name: "maintenance.completed", occurrence })],
  };
}

/** The consumer of the event no longer finds the window, so the event carries what the window affected. */
export async function endOfDeleted(ctx: RequestScope, window: MaintenanceRecord): Promise<NewEvent[]> {
  const begun = announcedOccurrence(window);
  const affected = begun && (await findMaintenanceSubject(ctx.db, window.id));
  if (!begun || !affected) return [];
  const event = boundaryEvent(window, { name: "maintenance.completed", occurrence: endedBy(ctx.now, begun) });
  const data = { ...event.data, ...describeSubject(affected, ctx.settings.PUBLIC_URL) };
  return [withoutSubscribers({ ...event, data })];
}

/** The occurrence whose start was published and whose end was not. */
function announcedOccurrence(window: MaintenanceRecord): Occurrence | null {
  return announcedStart(window) === null ? null : trackedOccurrence(window);
}

function endedBy(now: number, { start_at, end_at }: Occurrence): Occurrence {
  return { start_at, end_at: Math.min(end_at, now) };
}
