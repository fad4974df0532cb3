import { and, asc, eq, lte, type SQL, sql } from "drizzle-orm";
import type { MaintenanceTarget } from "../contract/maintenance.ts";
import type { Db, Statement } from "./db.ts";
import {
  maintenance,
  maintenanceGroups,
  maintenanceMonitors,
  maintenanceOccurrences,
  maintenanceUpdates,
} from "./maintenance.table.ts";
import { statusPages } from "./status-pages.table.ts";

export type MaintenanceRecord = typeof maintenance.$inferSelect;
export type MaintenanceUpdateRecord = typeof maintenanceUpdates.$inferSelect;
export type OccurrenceRecord = typeof maintenanceOccurrences.$inferSelect;
export type MaintenanceEdit = Partial<Omit<MaintenanceRecord, "id" | "owner_id" | "created_by" | "status_page_id">>;

export async function findMaintenance(db: Db, maintenanceId: string): Promise<MaintenanceRecord | undefined> {
  const rows = await db.select().from(maintenance).where(eq(maintenance.id, maintenanceId)).limit(1);
  return rows[0];
}

/** Windows of which something begins or ends by now, with the zone of their page. */
export async function listDueMaintenance(db: Db, now: number, limit: number) {
  return db
    .select({ window: maintenance, timezone: statusPages.timezone })
    .from(maintenance)
    .innerJoin(statusPages, eq(statusPages.id, maintenance.status_page_id))
    .where(and(sql`${maintenance.next_edge_at} IS NOT NULL`, lte(maintenance.next_edge_at, now)))
    .orderBy(asc(maintenance.next_edge_at))
    .limit(limit);
}

/** The windows of a page that still follow an occurrence. */
export async function listTrackedMaintenance(db: Db, pageId: string): Promise<MaintenanceRecord[]> {
  return db
    .select()
    .from(maintenance)
    .where(and(eq(maintenance.status_page_id, pageId), sql`${maintenance.next_edge_at} IS NOT NULL`));
}

export function insertMaintenance(db: Db, window: MaintenanceRecord): Statement {
  return db.insert(maintenance).values(window);
}

export function updateMaintenance(db: Db, maintenanceId: string, change: MaintenanceEdit): Statement {
  return db.update(maintenance).set(change).where(eq(maintenance.id, maintenanceId));
}

export function deleteMaintenance(db: Db, maintenanceId: string): Statement {
  return db.delete(maintenance).where(eq(maintenance.id, maintenanceId));
}

/** Whether the window began or ended since it was read, or is gone. */
export function isAdvanced({ id, next_edge_at }: Pick<MaintenanceRecord, "id" | "next_edge_at">): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM ${maintenance} WHERE ${maintenance.id} = ${id} AND ${maintenance.next_edge_at} IS ${next_edge_at})`;
}

/** Exactly these are its targets afterwards. */
export function setTargets(db: Db, maintenanceId: string, targets: readonly MaintenanceTarget[]): Statement[] {
  const idsOf = (type: MaintenanceTarget["target_type"]) =>
    JSON.stringify(targets.filter(({ target_type }) => target_type === type).map(({ target_id }) => target_id));
  return [
    db.delete(maintenanceMonitors).where(eq(maintenanceMonitors.maintenance_id, maintenanceId)),
    db.delete(maintenanceGroups).where(eq(maintenanceGroups.maintenance_id, maintenanceId)),
    db
      .insert(maintenanceMonitors)
      .select(sql`SELECT DISTINCT ${maintenanceId}, value FROM json_each(${idsOf("monitor")})`),
    db.insert(maintenanceGroups).select(sql`SELECT DISTINCT ${maintenanceId}, value FROM json_each(${idsOf("group")})`),
  ];
}

/** What took place; a later word on the same occurrence replaces its end. */
export function recordOccurrences(db: Db, occurrences: readonly OccurrenceRecord[]): Statement {
  const rows = JSON.stringify(occurrences);
  return db
    .insert(maintenanceOccurrences)
    .select(
      sql`SELECT value ->> 'maintenance_id', value ->> 'start_at', value ->> 'end_at' FROM json_each(${rows}) WHERE true`,
    )
    .onConflictDoUpdate({
      target: [maintenanceOccurrences.maintenance_id, maintenanceOccurrences.start_at],
      set: { end_at: sql`excluded.end_at` },
    });
}

export async function findMaintenanceUpdate(db: Db, ids: { maintenance_id: string; id: string }) {
  const rows = await db.select().from(maintenanceUpdates).where(isUpdate(ids)).limit(1);
  return rows[0];
}

export function insertMaintenanceUpdate(db: Db, update: MaintenanceUpdateRecord): Statement {
  return db.insert(maintenanceUpdates).values(update);
}

export function updateMaintenanceUpdate(db: Db, update: MaintenanceUpdateRecord): Statement {
  const { message, updated_at } = update;
  return db.update(maintenanceUpdates).set({ message, updated_at }).where(isUpdate(update));
}

export function deleteMaintenanceUpdate(db: Db, ids: { maintenance_id: string; id: string }): Statement {
  return db.delete(maintenanceUpdates).where(isUpdate(ids));
}

const isUpdate = ({ maintenance_id, id }: { maintenance_id: string; id: string }) =>
  and(eq(maintenanceUpdates.id, id), eq(maintenanceUpdates.maintenance_id, maintenance_id));
