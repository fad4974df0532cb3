import { type SQL, sql } from "drizzle-orm";
import type { MonitorStatus, MonitorType } from "../../contract/monitor-values.ts";
import { maintenanceGroups, maintenanceMonitors, maintenanceOccurrences } from "../maintenance/table.ts";
import { monitors } from "../monitors/table.ts";

const RESTARTED: MonitorType = "game_server";
const TROUBLE: readonly MonitorStatus[] = ["down", "degraded"];
const RESTARTING: MonitorStatus = "paused";

/**
 * The status by which an interval counts in bars and uptime; the table of intervals has this name in the query. A planned
 * restart is no outage: trouble of a game server counts as paused where maintenance covers all of it, or so far, while
 * the maintenance and the trouble last.
 */
export function countedStatus(intervals: "status_intervals" | "i", now: number): SQL.Aliased<MonitorStatus> {
  const column = (name: string) => sql.raw(`${intervals}.${name}`);
  const windows = sql`
    SELECT ${maintenanceMonitors.maintenance_id} FROM ${maintenanceMonitors} WHERE ${maintenanceMonitors.monitor_id} = g.id
    UNION ALL
    SELECT ${maintenanceGroups.maintenance_id} FROM ${maintenanceGroups} WHERE ${maintenanceGroups.group_id} = g.group_id`;
  const restart = sql`
    SELECT 1 FROM ${monitors} g JOIN ${maintenanceOccurrences} o ON o.maintenance_id IN (${windows})
    WHERE g.id = ${column("monitor_id")} AND g.type = ${RESTARTED}
      AND o.start_at <= ${column("from_at")} AND o.end_at >= coalesce(${column("to_at")}, ${now})`;
  return sql<MonitorStatus>`CASE
    WHEN ${column("status")} IN (SELECT value FROM json_each(${JSON.stringify(TROUBLE)})) AND EXISTS (${restart})
    THEN ${RESTARTING} ELSE ${column("status")} END`.as("status");
}
