import type { Scope } from "../access/scope.ts";
import { EVENTS, type EventOf, type NewEvent } from "../contract/events.ts";
import type { EventMessage } from "../contract/messages.ts";
import { insertEvent } from "../data/events/write.ts";
import type { IncidentRecord } from "../data/incidents/read.ts";
import type { MaintenanceRecord } from "../data/maintenance/read.ts";
import { fanOut, type Routing } from "../delivery/fan-out.ts";
import { type EventSubject, NO_SUBJECT } from "../domain/event-subject.ts";
import { joinPublications, NOTHING, type Publication, wake } from "../outbox/publication.ts";
import { toIso, toIsoOrNull } from "../platform/clock.ts";
import { idFrom, newId } from "../platform/ids.ts";

type PublishScope = Pick<Scope, "env" | "db" | "log">;

/**
 * Publishes events of verbs and sweeps: their rows belong in the batch that stores what they are about, and the consumer
 * of the queue `events` routes them. An id is derived where the same event may be published twice.
 */
export function publish(scope: PublishScope, events: readonly NewEvent[]): Publication {
  if (events.length === 0) return NOTHING;
  return {
    statements: events.map((event) => insertEvent(scope.db, { ...event, processed_at: null })),
    wake: () => wakeEvents(scope, events),
  };
}

/** Publishes events inside their consumer: routed at once, in the batch that stores them. */
export async function publishRouted(
  scope: PublishScope,
  events: readonly NewEvent[],
  now: number,
  routings?: ReadonlyMap<string, Routing>,
): Promise<Publication> {
  const stored = events.map((event) => insertEvent(scope.db, { ...event, processed_at: now }));
  return joinPublications([{ ...NOTHING, statements: stored }, await fanOut(scope, events, now, routings)]);
}

export function wakeEvents(scope: Pick<Scope, "env" | "log">, events: readonly { id: string }[]): Promise<void> {
  const messages = events.map(({ id }): EventMessage => ({ kind: "event", event_id: id }));
  return wake(scope, { queue: scope.env.EVENTS, messages, what: "event" });
}

interface IncidentChange {
  id: string;
  name: "incident.created" | "incident.updated" | "incident.acknowledged" | "incident.resolved";
  /** Markdown. */
  message: string;
  /** Whether subscribers of the page receive it, too. */
  notify_subscribers: boolean;
  now: number;
  /** The change publishes the incident. */
  is_publication?: boolean;
  /** Its readers are to know that it is over for them, and nothing leads to it. */
  is_withdrawn?: boolean;
  /** Where it is known already; the consumer of a stored event reads it. */
  subject?: EventSubject;
}

export function incidentEvent(incident: IncidentRecord, change: IncidentChange): EventOf<IncidentChange["name"]> {
  return {
    id: change.id,
    owner_id: incident.owner_id,
    status_page_id: incident.status_page_id,
    monitor_id: incident.origin_monitor_id,
    name: change.name,
    // Choice: what is not public yet concerns the team alone, regardless of the page's routing.
    classification: incident.is_public ? EVENTS[change.name].classification : "team_only",
    data: {
      incident_id: incident.id,
      title: incident.title,
      severity: incident.severity,
      status: incident.status,
      is_public: incident.is_public,
      monitor_id: incident.origin_monitor_id,
      message: change.message,
      notify_subscribers: change.notify_subscribers,
      started_at: toIso(incident.started_at),
      resolved_at: toIsoOrNull(incident.resolved_at),
      outage_id: incident.origin_outage_id,
      is_automatic: false,
      bundle_id: incident.bundle_id,
      firing_id: null,
      acknowledged_at: toIsoOrNull(incident.acknowledged_at),
      ...(change.is_publication ? { is_publication: true } : {}),
      ...(change.is_withdrawn ? { is_withdrawn: true } : {}),
      ...(change.subject ?? NO_SUBJECT),
    },
    created_at: change.now,
  };
}

/** Once for each acknowledgement, however many arrive at a time: they all read the same row. */
export function acknowledgedEvent(incident: IncidentRecord, now: number): EventOf<"incident.acknowledged"> {
  const { name: _, ...event } = incidentEvent(
    { ...incident, acknowledged_at: now },
    {
      id: idFrom("event", incident.id, "incident.acknowledged", String(incident.updated_at)),
      name: "incident.acknowledged",
      message: "The incident is acknowledged.",
      notify_subscribers: false,
      now,
    },
  );
  return { ...event, name: "incident.acknowledged" };
}

interface Boundary {
  name: "maintenance.started" | "maintenance.completed";
  occurrence: { start_at: number; end_at: number };
}

/** The start or the end of one occurrence of a window; each is published once, whichever caller publishes it. */
export function boundaryEvent(window: MaintenanceRecord, { name, occurrence }: Boundary): EventOf<Boundary["name"]> {
  const isStart = name === "maintenance.started";
  const data: EventOf<Boundary["name"]>["data"] = {
    maintenance_id: window.id,
    title: window.title,
    message: window.description ?? window.title,
    is_public: window.is_public,
    status: isStart ? "in_progress" : "completed",
    start: toIso(occurrence.start_at),
    end: toIso(occurrence.end_at),
    ...NO_SUBJECT,
  };
  return {
    id: idFrom("event", window.id, name, String(occurrence.start_at)),
    owner_id: window.owner_id,
    status_page_id: window.status_page_id,
    monitor_id: null,
    name,
    classification: window.is_public ? EVENTS[name].classification : "team_only",
    data,
    created_at: isStart ? occurrence.start_at : occurrence.end_at,
  };
}

/** The occurrence in progress has another end. Subscribers receive a notice of their own. */
export function rescheduledEvent(
  window: MaintenanceRecord,
  occurrence: Boundary["occurrence"],
  now: number,
): EventOf<"maintenance.rescheduled"> {
  const name = "maintenance.rescheduled";
  const started = boundaryEvent(window, { name: "maintenance.started", occurrence });
  return {
    ...started,
    id: newId(),
    name,
    data: { ...started.data, notify_subscribers: false },
    created_at: now,
  };
}
