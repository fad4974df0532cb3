import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { auditLog } from "../audit/table.ts";
import { dailyAggregates } from "../daily-aggregates/table.ts";
import type { Db, Statement } from "../db.ts";
import { escalations } from "../escalations/table.ts";
import { eventLog } from "../event-rules/table.ts";
import { events } from "../events/table.ts";
import { incidents } from "../incidents/table.ts";
import { maintenance, maintenanceCoverage, maintenanceOccurrences } from "../maintenance/table.ts";
import { statusIntervals, transitions } from "../monitors/table.ts";
import { notifications } from "../notifications/table.ts";
import { outages } from "../outages/table.ts";
import { monitorStays, slaFormerValues } from "../sla/table.ts";
import { statusPages } from "../status-pages/table.ts";
import { subscribers } from "../subscribers/table.ts";
import { apiTokens } from "../users/table.ts";

/**
 * Retention: the only place that deletes append-only rows. Every statement
 * deletes a bounded number of rows, finds them by an index that lists need as well, and gives a row for each that it
 * deleted; a caller that gets as many as its limit calls again.
 */
export interface RetentionScope {
  id: string;
  /** What was over before this may go. */
  edge: number;
}

const ID = sql`(k.value ->> 'id')`;
const EDGE = sql`(k.value ->> 'edge')`;

/**
 * The past of monitors. The interval that holds the edge stays whole, and so does the newest one. Of the transitions
 * those stay that began an interval that stays, and the whole of an outage that may still go on.
 */
export function deleteExpiredMonitorHistory(db: Db, kept: readonly RetentionScope[], limit: number): Statement[] {
  const holding = sql`(SELECT max(e.from_at) FROM ${statusIntervals} e WHERE e.monitor_id = ${ID} AND e.from_at <= ${EDGE})`;
  const oldest = sql`(SELECT min(e.seq) FROM ${statusIntervals} e WHERE e.monitor_id = ${ID} AND e.seq >= 0)`;
  const outage = sql`(SELECT e.outage_seq FROM ${transitions} e WHERE e.monitor_id = ${ID} ORDER BY e.seq DESC LIMIT 1)`;
  // A day earlier, so that it lies before the edge in every zone.
  const month = sql`strftime('%Y-%m', ${EDGE} / 1000 - 86400, 'unixepoch')`;
  return [
    deleteOld(db, { kept, limit, from: statusIntervals, rows: sql`t.monitor_id = ${ID} AND t.from_at < ${holding}` }),
    deleteOld(db, {
      kept,
      limit,
      from: transitions,
      rows: sql`t.monitor_id = ${ID} AND t.seq < min(${oldest}, coalesce(${outage}, ${oldest}))`,
    }),
    deleteOld(db, {
      kept,
      limit,
      from: outages,
      rows: sql`t.monitor_id = ${ID} AND t.started_at < ${EDGE} AND t.ended_at < ${EDGE}`,
    }),
    deleteOld(db, { kept, limit, from: dailyAggregates, rows: sql`t.monitor_id = ${ID} AND t.month < ${month}` }),
  ];
}

export function deleteAuditEntries(db: Db, ids: readonly string[]): Statement {
  return db.delete(auditLog).where(sql`${auditLog.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`);
}

export function deleteEvents(db: Db, ids: readonly string[]): Statement {
  return db.delete(events).where(sql`${events.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`);
}

/** What happened in accounts: nothing that is open, still to come, or waits for its consumer. */
export function deleteExpiredAccountHistory(db: Db, kept: readonly RetentionScope[], limit: number): Statement[] {
  const isOld = (owner: "owner_id" | "user_id") => sql`t.${sql.raw(owner)} = ${ID} AND t.created_at < ${EDGE}`;
  const hadOccurrence = sql`EXISTS (SELECT 1 FROM ${maintenanceOccurrences} o WHERE o.maintenance_id = t.id AND o.end_at >= ${EDGE})`;
  return [
    deleteOld(db, { kept, limit, from: auditLog, rows: isOld("owner_id") }),
    deleteOld(db, { kept, limit, from: events, rows: sql`${isOld("owner_id")} AND t.processed_at IS NOT NULL` }),
    deleteOld(db, { kept, limit, from: eventLog, rows: isOld("owner_id") }),
    // Choice: what was published stays, because others link to it.
    deleteOld(db, {
      kept,
      limit,
      from: incidents,
      rows: sql`t.owner_id = ${ID} AND t.started_at < ${EDGE} AND t.status = 'resolved' AND t.resolved_at < ${EDGE}
        AND t.is_public = 0`,
    }),
    deleteOld(db, {
      kept,
      limit,
      from: maintenanceOccurrences,
      of: sql`JOIN ${maintenance} w ON w.owner_id = ${ID} AND w.start_time < ${EDGE}`,
      rows: sql`t.maintenance_id = w.id AND t.start_at < ${EDGE} AND t.end_at < ${EDGE}`,
    }),
    deleteOld(db, {
      kept,
      limit,
      from: maintenance,
      rows: sql`t.owner_id = ${ID} AND t.start_time < ${EDGE} AND t.end_time < ${EDGE} AND t.next_edge_at IS NULL
        AND NOT ${hadOccurrence}`,
    }),
    ...[
      { from: maintenanceCoverage, end: sql`t.end_at` },
      { from: monitorStays, end: sql`t.to_at` },
      { from: slaFormerValues, end: sql`t.until_at` },
    ].map(({ from, end }) =>
      deleteOld(db, {
        kept,
        limit,
        from,
        of: sql`JOIN ${statusPages} p ON p.owner_id = ${ID}`,
        rows: sql`t.status_page_id = p.id AND ${end} < ${EDGE}`,
      }),
    ),
    // The escalation of an incident goes with it.
    deleteOld(db, { kept, limit, from: escalations, rows: sql`${isOld("owner_id")} AND t.incident_id IS NULL` }),
    deleteOld(db, { kept, limit, from: notifications, rows: isOld("user_id") }),
    deleteOld(db, { kept, limit, from: apiTokens, rows: sql`${isOld("user_id")} AND t.expires_at < ${EDGE}` }),
  ];
}

/** The hashed and masked addresses of those who left. */
export function deleteUnsubscribedBefore(db: Db, before: number, limit: number): Statement {
  const left = sql`SELECT rowid FROM ${subscribers} WHERE unsubscribed_at < ${before} LIMIT ${limit}`;
  return db.delete(subscribers).where(sql`rowid IN (${left})`).returning({ id: subscribers.id });
}

interface OldRows {
  kept: readonly RetentionScope[];
  limit: number;
  from: SQLiteTable;
  /** What ties the rows, called `t`, to the kept ones, called `k`, where they do not name them themselves. */
  of?: SQL;
  rows: SQL;
}

function deleteOld(db: Db, { kept, limit, from, of = sql``, rows }: OldRows): Statement {
  const old = sql`SELECT t.rowid FROM json_each(${JSON.stringify(kept)}) k ${of} CROSS JOIN ${from} t WHERE ${rows} LIMIT ${limit}`;
  return db.delete(from).where(sql`rowid IN (${old})`).returning({ deleted: sql`1` });
}
