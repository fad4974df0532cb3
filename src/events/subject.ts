import type { Scope } from "../access/scope.ts";
import { isKnownEvent, type NewEvent } from "../contract/events.ts";
import { findIncidentSubject, findMaintenanceSubject } from "../data/events/subject.ts";
import { describeSubject } from "../domain/event-subject.ts";

/** The event with what its incident or window affects, read after the change that it is about was committed. */
export async function withSubject<Event extends NewEvent>(
  { db, settings }: Pick<Scope, "db" | "settings">,
  event: Event,
): Promise<Event> {
  const found = await findSubject(db, event);
  return found ? { ...event, data: { ...event.data, ...describeSubject(found, settings.PUBLIC_URL) } } : event;
}

async function findSubject(db: Scope["db"], event: NewEvent) {
  if (!isKnownEvent(event)) return undefined;
  switch (event.name) {
    case "incident.created":
    case "incident.updated":
    case "incident.acknowledged":
    case "incident.resolved":
      return findIncidentSubject(db, event.data.incident_id);
    case "maintenance.started":
    case "maintenance.rescheduled":
    case "maintenance.completed":
      return findMaintenanceSubject(db, event.data.maintenance_id);
    default:
      return undefined;
  }
}
