import { and, asc, eq, lte, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { statusPages } from "../status-pages/table.ts";
import { maintenance, type maintenanceOccurrences, maintenanceUpdates } from "./table.ts";

export type MaintenanceRecord = typeof maintenance.$inferSelect;
export type MaintenanceUpdateRecord = typeof maintenanceUpdates.$inferSelect;
export type OccurrenceRecord = typeof maintenanceOccurrences.$inferSelect;

export async function findMaintenance(db: Db, maintenanceId: string): Promise<MaintenanceRecord | undefined> {
  const rows = await db.select().from(maintenance).where(eq(maintenance.id, maintenanceId)).limit(1);
  return rows[0];
}

/** As many are named to who would empty them. */
const LOSING_MAX = 500;

/** Windows that begin or end by now. */
function isDue(now: number): SQL | undefined {
  // Spelled out, because SQLite uses the partial index only for the very same condition.
  return and(sql`${maintenance.next_edge_at} IS NOT NULL`, lte(maintenance.next_edge_at, now));
}

/** Their ids, the longest overdue first. */
export async function listDueMaintenance(db: Db, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: maintenance.id })
    .from(maintenance)
    .where(isDue(now))
    .orderBy(asc(maintenance.next_edge_at))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** Those of these that are due, with the zone of their page. */
export function listDueMaintenanceAmong(db: Db, now: number, maintenanceIds: readonly string[]) {
  return db
    .select({ window: maintenance, timezone: statusPages.timezone })
    .from(maintenance)
    .innerJoin(statusPages, eq(statusPages.id, maintenance.status_page_id))
    .where(and(sql`${maintenance.id} IN (SELECT value FROM json_each(${JSON.stringify(maintenanceIds)}))`, isDue(now)))
    .orderBy(asc(maintenance.next_edge_at))
    .limit(maintenanceIds.length);
}

/** The windows of a page that still follow an occurrence. */
export async function listTrackedMaintenance(db: Db, pageId: string): Promise<MaintenanceRecord[]> {
  return db
    .select()
    .from(maintenance)
    .where(and(eq(maintenance.status_page_id, pageId), sql`${maintenance.next_edge_at} IS NOT NULL`));
}

/** Whether the window began or ended since it was read, or is gone. */
export function isAdvanced({ id, next_edge_at }: Pick<MaintenanceRecord, "id" | "next_edge_at">): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM ${maintenance} WHERE ${maintenance.id} = ${id} AND ${maintenance.next_edge_at} IS ${next_edge_at})`;
}

interface Removed {
  monitor_ids?: readonly string[];
  group_ids?: readonly string[];
}

/** Planned and running windows that would cover nothing any more without these monitors and groups. */
const losesAll = ({ monitor_ids = [], group_ids = [] }: Removed): SQL => {
  const monitorIds = sql`(SELECT value FROM json_each(${JSON.stringify(monitor_ids)}))`;
  const groupIds = sql`(SELECT value FROM json_each(${JSON.stringify(group_ids)}))`;
  return sql`w.next_edge_at IS NOT NULL AND w.covers_page = 0
    AND w.id IN (SELECT t.maintenance_id FROM maintenance_monitors t WHERE t.monitor_id IN ${monitorIds}
      UNION SELECT t.maintenance_id FROM maintenance_groups t WHERE t.group_id IN ${groupIds})
    AND NOT EXISTS (SELECT 1 FROM maintenance_monitors t
      WHERE t.maintenance_id = w.id AND t.monitor_id NOT IN ${monitorIds})
    AND NOT EXISTS (SELECT 1 FROM maintenance_groups t WHERE t.maintenance_id = w.id AND t.group_id NOT IN ${groupIds})`;
};

/** Each such window with the monitors that it names. */
export async function listWindowsLosingAll(
  db: Db,
  removed: Removed,
): Promise<{ title: string; monitor_ids: string[] }[]> {
  const rows = await db
    .select({
      title: sql<string>`w.title`.as("title"),
      monitor_ids: sql<string>`(SELECT json_group_array(t.monitor_id) FROM maintenance_monitors t
        WHERE t.maintenance_id = w.id)`.as("monitor_ids"),
    })
    .from(sql`${maintenance} AS w`)
    .where(losesAll(removed))
    .orderBy(sql`w.start_time, w.id`)
    .limit(LOSING_MAX);
  return rows.map(({ title, monitor_ids }) => ({ title, monitor_ids: JSON.parse(monitor_ids) }));
}

export function isAnyLosingAll(removed: Removed): SQL {
  return sql`EXISTS (SELECT 1 FROM ${maintenance} AS w WHERE ${losesAll(removed)})`;
}

export async function findMaintenanceUpdate(db: Db, ids: { maintenance_id: string; id: string }) {
  const rows = await db.select().from(maintenanceUpdates).where(isUpdate(ids)).limit(1);
  return rows[0];
}

export const isUpdate = ({ maintenance_id, id }: { maintenance_id: string; id: string }) =>
  and(eq(maintenanceUpdates.id, id), eq(maintenanceUpdates.maintenance_id, maintenance_id));
