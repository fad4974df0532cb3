import { and, asc, eq, gte, lte, type SQL, sql } from "drizzle-orm";
import type { StatusInterval } from "../../domain/uptime.ts";
import type { Db } from "../db.ts";
import { statusIntervals } from "../monitors/table.ts";

export const INTERVAL_COLUMNS = {
  status: statusIntervals.status,
  from_at: statusIntervals.from_at,
  to_at: statusIntervals.to_at,
};

/** A monitor's intervals in time order, beginning with the one that contains `since`. */
export async function listIntervalsSince(db: Db, monitorId: string, since: number) {
  const earlier = sql`(SELECT max(from_at) FROM status_intervals WHERE monitor_id = ${monitorId} AND from_at <= ${since})`;
  return db
    .select(INTERVAL_COLUMNS)
    .from(statusIntervals)
    .where(
      and(eq(statusIntervals.monitor_id, monitorId), gte(statusIntervals.from_at, sql`coalesce(${earlier}, ${since})`)),
    )
    .orderBy(asc(statusIntervals.from_at), asc(statusIntervals.seq));
}

/** The same for many monitors, each with a `since` of its own. */
export function listIntervalsOf(
  db: Db,
  wanted: readonly { monitor_id: string; since: number }[],
): Promise<(StatusInterval & { monitor_id: string })[]> {
  return selectIntervalsOf(db, wanted);
}

const PAST_MAX = 100_000;

/** The same, of what had begun by then. */
export function listIntervalsUntil(
  db: Db,
  wanted: readonly { monitor_id: string; since: number }[],
  until: number,
): Promise<(StatusInterval & { monitor_id: string })[]> {
  return selectIntervalsOf(db, wanted, lte(statusIntervals.from_at, until)).limit(PAST_MAX);
}

function selectIntervalsOf(db: Db, wanted: readonly { monitor_id: string; since: number }[], also?: SQL) {
  const since = sql`(w.value ->> 'since')`;
  const earlier = sql`(SELECT max(e.from_at) FROM ${statusIntervals} e
    WHERE e.monitor_id = (w.value ->> 'monitor_id') AND e.from_at <= ${since})`;
  return db
    .select({ monitor_id: statusIntervals.monitor_id, ...INTERVAL_COLUMNS })
    .from(sql`json_each(${JSON.stringify(wanted)}) AS w`)
    .innerJoin(statusIntervals, sql`${statusIntervals.monitor_id} = (w.value ->> 'monitor_id')`)
    .where(and(gte(statusIntervals.from_at, sql`coalesce(${earlier}, ${since})`), also))
    .orderBy(asc(statusIntervals.monitor_id), asc(statusIntervals.from_at), asc(statusIntervals.seq));
}
