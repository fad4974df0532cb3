import type { Db, Statement } from "../data/db.ts";
import type { StoredEvent } from "../data/events/read.ts";
import { insertEvent } from "../data/events/write.ts";
import type { IncidentRecord } from "../data/incidents/read.ts";
import type { MaintenanceRecord } from "../data/maintenance/read.ts";
import { toIso, toIsoOrNull } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { idFrom } from "../platform/ids.ts";
import type { Logger } from "../platform/logger.ts";

/**
 * Events that verbs and sweeps make. The row is part of the batch that makes what it tells of, so neither is there without
 * the other; the message only hastens what the minute's sweep would find. The id is derived where the same thing may be
 * told of twice.
 */
export type NewEvent = Omit<StoredEvent, "processed_at">;

const MESSAGES_PER_CALL = 100;

export function emitEvent(db: Db, event: NewEvent): Statement {
  return insertEvent(db, { ...event, processed_at: null });
}

/** To be called after the commit. */
export async function wakeEvents(env: Env, log: Logger, eventIds: readonly string[]): Promise<void> {
  try {
    for (let from = 0; from < eventIds.length; from += MESSAGES_PER_CALL) {
      const ids = eventIds.slice(from, from + MESSAGES_PER_CALL);
      await env.EVENTS.sendBatch(ids.map((event_id) => ({ body: { event_id } })));
    }
  } catch (error) {
    log.warn("events left to the sweep", { count: eventIds.length, cause: String(error) });
  }
}

interface IncidentNews {
  id: string;
  name: "incident.created" | "incident.updated" | "incident.resolved";
  /** What people are told, Markdown. */
  message: string;
  /** Whether subscribers of the page are told, too. */
  notify_subscribers: boolean;
  now: number;
}

export function incidentEvent(incident: IncidentRecord, news: IncidentNews): NewEvent {
  return {
    id: news.id,
    owner_id: incident.owner_id,
    status_page_id: incident.status_page_id,
    monitor_id: incident.origin_monitor_id,
    name: news.name,
    classification: "public",
    data: {
      incident_id: incident.id,
      title: incident.title,
      severity: incident.severity,
      status: incident.status,
      is_public: incident.is_public,
      monitor_id: incident.origin_monitor_id,
      message: news.message,
      notify_subscribers: news.notify_subscribers,
      started_at: toIso(incident.started_at),
      resolved_at: toIsoOrNull(incident.resolved_at),
    },
    created_at: news.now,
  };
}

interface Edge {
  name: "maintenance.started" | "maintenance.completed";
  occurrence: { start_at: number; end_at: number };
}

/** The beginning or the end of one occurrence of a window; both are told once, whoever tells. */
export function boundaryEvent(window: MaintenanceRecord, { name, occurrence }: Edge): NewEvent {
  const isStart = name === "maintenance.started";
  return {
    id: idFrom("event", window.id, name, String(occurrence.start_at)),
    owner_id: window.owner_id,
    status_page_id: window.status_page_id,
    monitor_id: null,
    name,
    classification: "public",
    data: {
      maintenance_id: window.id,
      title: window.title,
      message: window.description ?? window.title,
      is_public: window.is_public,
      status: isStart ? "in_progress" : "completed",
      start: toIso(occurrence.start_at),
      end: toIso(occurrence.end_at),
    },
    created_at: isStart ? occurrence.start_at : occurrence.end_at,
  };
}
