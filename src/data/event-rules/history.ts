import { and, desc, eq, gte, inArray, isNotNull, isNull, lt, ne, or, type SQL, sql } from "drizzle-orm";
import { agents } from "../agents/table.ts";
import type { Db } from "../db.ts";
import { events } from "../events/table.ts";
import type { MonitorRecord } from "../monitors/read.ts";
import { monitors } from "../monitors/table.ts";
import { eventLog } from "./table.ts";

/** What a backtest replays. */
export interface PastEvent {
  at: number;
  monitor_id: string | null;
  agent_id: string | null;
  in_maintenance: boolean;
  /** No rule was evaluated when it happened, only when its alert was sent. */
  was_muted: boolean;
  /** When the alert was sent that maintenance or a mute had withheld. */
  released_at: number | null;
}

export interface PastEventFilter {
  status_page_id: string;
  /** One event; the end of maintenance has two names. */
  names: readonly string[];
  monitor_id: string | null;
  from: number;
  /** Exclusive. */
  to: number;
  limit: number;
}

/**
 * Events of the service on which rules were evaluated, newest first: those that maintenance suppressed as well, without
 * those of monitors that were muted or waited for what they depend on, and of incidents that a rule opened.
 */
export async function listPastEvents(db: Db, filter: PastEventFilter): Promise<PastEvent[]> {
  const { status_page_id, names, monitor_id, from, to, limit } = filter;
  const member = (name: string) => sql<string | null>`json_extract(${events.data}, ${`$.${name}`})`;
  const rows = await db
    .select({
      at: events.created_at,
      monitor_id: events.monitor_id,
      agent_id: sql<string | null>`coalesce(${member("agent_id")}, ${monitors.agent_id})`,
      suppressed_by: member("suppressed_by"),
      released_at: member("released_at"),
      muted_until: member("muted_until"),
      suppressed_until: member("suppressed_until"),
      waits_for: member("waits_for"),
    })
    .from(events)
    .leftJoin(monitors, eq(monitors.id, events.monitor_id))
    .where(
      and(
        eq(events.status_page_id, status_page_id),
        inArray(events.name, [...names]),
        monitor_id === null ? undefined : eq(events.monitor_id, monitor_id),
        gte(events.created_at, from),
        lt(events.created_at, to),
        or(and(isNull(member("muted_until")), isNull(member("waits_for"))), isNotNull(member("released_at"))),
        sql`NOT (${events.name} = 'incident.created' AND EXISTS (
          SELECT 1 FROM ${eventLog} WHERE ${eventLog.id} = coalesce(${member("firing_id")}, ${member("outage_id")})))`,
      ),
    )
    .orderBy(desc(events.created_at), desc(events.id))
    .limit(limit);
  return rows.map(({ suppressed_by, muted_until, suppressed_until, waits_for, ...event }) => {
    // Rules were evaluated on what a rule withheld when it happened.
    const released_at = suppressed_until === null ? event.released_at : null;
    return {
      ...event,
      was_muted: muted_until !== null || waits_for !== null,
      released_at: released_at === null ? null : Date.parse(released_at),
      in_maintenance: suppressed_by !== null || released_at !== null,
    };
  });
}

/** Custom events that were emitted with evaluate_rules, newest first. */
export async function listPastEmissions(db: Db, filter: PastEventFilter): Promise<PastEvent[]> {
  const { status_page_id, names, monitor_id, from, to, limit } = filter;
  const rows = await db
    .select({ at: eventLog.created_at, monitor_id: eventLog.monitor_id, agent_id: eventLog.agent_id })
    .from(eventLog)
    .where(
      and(
        eq(eventLog.status_page_id, status_page_id),
        isNull(eventLog.rule_id),
        eq(eventLog.evaluates_rules, true),
        inArray(eventLog.event_name, [...names]),
        monitor_id === null ? undefined : eq(eventLog.monitor_id, monitor_id),
        gte(eventLog.created_at, from),
        lt(eventLog.created_at, to),
      ),
    )
    .orderBy(desc(eventLog.created_at), desc(eventLog.id))
    .limit(limit);
  return rows.map((event) => ({ ...event, in_maintenance: false, was_muted: false, released_at: null }));
}

/** Agents of a page, whose hosts report metrics. */
export async function listHosts(db: Db, pageId: string, limit: number): Promise<string[]> {
  const rows = await db.select({ id: agents.id }).from(agents).where(eq(agents.status_page_id, pageId)).limit(limit);
  return rows.map(({ id }) => id);
}

/** Monitors of a page, whose checks and pushes measure. */
export function listMeasuredMonitors(db: Db, pageId: string, limit: number): Promise<MonitorRecord[]> {
  return db.select().from(monitors).where(eq(monitors.status_page_id, pageId)).orderBy(monitors.id).limit(limit);
}

/** Monitors of a page that nothing checks, whose objects have yet to read a change of their configuration. */
export function listUnsyncedPushed(db: Db, pageId: string, limit: number) {
  return db
    .select({ id: monitors.id, config_version: monitors.config_version })
    .from(monitors)
    .where(and(eq(monitors.status_page_id, pageId), isPushed, ne(monitors.synced_version, monitors.config_version)))
    .limit(limit);
}

/** Nothing checks it. Composites as well, which have no object state that pushes could change. */
export const isPushed: SQL = sql`(${monitors.shard_id} = '' AND ${monitors.agent_id} IS NULL AND ${monitors.locations} = '[]')`;
