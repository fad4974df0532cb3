import { and, asc, eq, gte, sql } from "drizzle-orm";
import type { Db } from "./db.ts";
import { statusIntervals } from "./monitors.table.ts";

/** A monitor's stretches of status, from the one that holds `since` on. */
export async function listIntervalsSince(db: Db, monitorId: string, since: number) {
  const earlier = sql`(SELECT max(from_at) FROM status_intervals WHERE monitor_id = ${monitorId} AND from_at <= ${since})`;
  return db
    .select({ status: statusIntervals.status, from_at: statusIntervals.from_at, to_at: statusIntervals.to_at })
    .from(statusIntervals)
    .where(
      and(eq(statusIntervals.monitor_id, monitorId), gte(statusIntervals.from_at, sql`coalesce(${earlier}, ${since})`)),
    )
    .orderBy(asc(statusIntervals.from_at), asc(statusIntervals.seq));
}
