import { asc, sql } from "drizzle-orm";
import type { MonitorStatus } from "../../contract/monitor-values.ts";
import type { Db } from "../db.ts";
import { type Viewer, visibleTo } from "../members/read.ts";
import { monitors, statusIntervals } from "../monitors/table.ts";

/** The monitors that somebody sees, in their order, with what a scrape needs of them. */
export function listScrapedMonitors(db: Db, viewer: Viewer, limit: number) {
  const { id, name, type, status, check_group_id, agent_id, locations, certificate_expires_at } = monitors;
  return db
    .select({ id, name, type, status, check_group_id, agent_id, locations, certificate_expires_at })
    .from(monitors)
    .where(visibleTo(viewer, monitors))
    .orderBy(asc(monitors.position), asc(monitors.id))
    .limit(limit);
}

/**
 * The intervals of these monitors since an instant, monitor by monitor in the given order, from the one that contains it
 * on. Reading ends at the limit, so the last monitor may lack its newest intervals.
 */
export function listRecentIntervals(db: Db, monitorIds: readonly string[], { since, limit }: Recent) {
  const earlier = sql`(SELECT max(e.from_at) FROM ${statusIntervals} e WHERE e.monitor_id = m.value AND e.from_at <= ${since})`;
  return (
    db
      .select({
        monitor_id: sql<string>`m.value`.as("monitor_id"),
        status: sql<MonitorStatus>`i.status`.as("status"),
        from_at: sql<number>`i.from_at`.as("from_at"),
        to_at: sql<number | null>`i.to_at`.as("to_at"),
      })
      // Spelled out in the order in which it has to be read: sorting would read everything before the limit counts.
      .from(
        sql`json_each(${JSON.stringify(monitorIds)}) AS m CROSS JOIN ${statusIntervals} AS i INDEXED BY status_intervals_time`,
      )
      .where(sql`i.monitor_id = m.value AND i.from_at >= coalesce(${earlier}, ${since})`)
      .limit(limit)
  );
}

interface Recent {
  since: number;
  limit: number;
}
