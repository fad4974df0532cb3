import { eq, sql } from "drizzle-orm";
import type { MaintenanceTarget } from "../../contract/maintenance.ts";
import type { Db, Statement } from "../db.ts";
import { isUpdate, type MaintenanceRecord, type MaintenanceUpdateRecord, type OccurrenceRecord } from "./read.ts";
import {
  maintenance,
  maintenanceGroups,
  maintenanceMonitors,
  maintenanceOccurrences,
  maintenanceUpdates,
} from "./table.ts";

export type MaintenanceEdit = Partial<Omit<MaintenanceRecord, "id" | "owner_id" | "created_by" | "status_page_id">>;

export function insertMaintenance(db: Db, window: MaintenanceRecord): Statement {
  return db.insert(maintenance).values(window);
}

export function updateMaintenance(db: Db, maintenanceId: string, change: MaintenanceEdit): Statement {
  return db.update(maintenance).set(change).where(eq(maintenance.id, maintenanceId));
}

export function deleteMaintenance(db: Db, maintenanceId: string): Statement {
  return db.delete(maintenance).where(eq(maintenance.id, maintenanceId));
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
