import { and, type SQL, sql } from "drizzle-orm";
import type { MonitorStatus } from "../../contract/monitor-values.ts";
import type { Db, Statement } from "../db.ts";
import { isAmong } from "./read.ts";
import { monitors, statusIntervals } from "./table.ts";

/**
 * Monitors whose objects do not respond. No transition says so, because only the object makes them; so the open interval
 * of such a monitor is divided, and what nobody knows counts as unknown in reports. It keeps its sequence number, which
 * the next transition ends; pieces before it get numbers below zero, as late results of agents do.
 */

/** The condition under which D1 still shows a status for the monitor of a notification. */
export const isTargetKnown = sql`EXISTS (SELECT 1 FROM ${monitors}
  WHERE ${monitors.id} = record.value ->> 'target_id' AND ${monitors.status} NOT IN ('unknown', 'paused'))`;

/** Shows monitors as unknown while their objects do not respond. Any later snapshot of an object replaces this. */
export function markUnreachable(
  db: Db,
  monitorIds: readonly string[],
  { reason, now }: { reason: string; now: number },
): Statement[] {
  const known = sql`status NOT IN ('unknown', 'paused')`;
  const chosen = monitorIds.map((monitor_id) => ({ monitor_id, status: "unknown" as const }));
  return [
    ...divideOpenIntervals(db, { chosen, of: known, source: "unreachable", now }),
    db
      .update(monitors)
      .set({
        status: "unknown",
        status_since: now,
        status_message: reason,
        settled: false,
        state_revision: 0,
        synced_version: 0,
      })
      .where(and(isAmong(monitorIds), sql`${monitors.status} NOT IN ('unknown', 'paused')`)),
  ];
}

/** Of monitors whose objects respond again and made no transition meanwhile. */
export function resumeReachable(
  db: Db,
  chosen: readonly { monitor_id: string; status: MonitorStatus }[],
  now: number,
): Statement[] {
  return divideOpenIntervals(db, { chosen, of: sql`source = 'unreachable'`, source: "check", now });
}

interface Division {
  /** The status from now on. */
  chosen: readonly { monitor_id: string; status: MonitorStatus }[];
  /** The open intervals that are divided. */
  of: SQL;
  source: "check" | "unreachable";
  now: number;
}

function divideOpenIntervals(db: Db, { chosen, of, source, now }: Division): Statement[] {
  const named = sql`json_each(${JSON.stringify(chosen)}) AS c`;
  const monitorId = sql`c.value ->> 'monitor_id'`;
  const lowest = sql`(SELECT min(0, min(l.seq)) FROM ${statusIntervals} l WHERE l.monitor_id = ${monitorId})`;
  const isOpen = sql`${statusIntervals.to_at} IS NULL AND ${statusIntervals.from_at} < ${now} AND ${of}`;
  return [
    db.insert(statusIntervals).select(
      sql`SELECT ${statusIntervals.monitor_id}, ${lowest} - 1, ${statusIntervals.status}, ${statusIntervals.from_at},
          CAST(${now} AS INTEGER), ${statusIntervals.source}
        FROM ${named} JOIN ${statusIntervals} ON ${statusIntervals.monitor_id} = ${monitorId} WHERE ${isOpen}`,
    ),
    db
      .update(statusIntervals)
      .set({ status: sql`c.value ->> 'status'`, source, from_at: now })
      .from(named)
      .where(sql`${statusIntervals.monitor_id} = ${monitorId} AND ${isOpen}`),
  ];
}
