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

export async function findMaintenanceUpdate(db: Db, ids: { maintenance_id: string; id: string }) {
  const rows = await db.select().from(maintenanceUpdates).where(isUpdate(ids)).limit(1);
  return rows[0];
}

export const isUpdate = ({ maintenance_id, id }: { maintenance_id: string; id: string }) =>
  and(eq(maintenanceUpdates.id, id), eq(maintenanceUpdates.maintenance_id, maintenance_id));
