import { and, eq, gt, sql } from "drizzle-orm";
import type { MaintenanceTarget } from "../../contract/maintenance.ts";
import { dailyAggregates } from "../daily-aggregates/table.ts";
import type { Db, Statement } from "../db.ts";
import { monitors } from "../monitors/table.ts";
import { isUpdate, type MaintenanceRecord, type MaintenanceUpdateRecord, type OccurrenceRecord } from "./read.ts";
import {
  maintenance,
  maintenanceCoverage,
  maintenanceGroups,
  maintenanceMonitors,
  maintenanceOccurrences,
  maintenanceUpdates,
} from "./table.ts";
import { selectCovered } from "./targets.ts";

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

/**
 * What took place, and what it covered; a later word on the same occurrence replaces both. Past days of the monitors are
 * aggregated again.
 */
export function recordOccurrences(db: Db, occurrences: readonly OccurrenceRecord[]): Statement[] {
  if (occurrences.length === 0) return [];
  const rows = JSON.stringify(occurrences);
  const covered = sql`CASE WHEN w.covers_page THEN '[]' ELSE
    (SELECT json_group_array(id) FROM (${selectCovered(sql`w.id`)} ORDER BY id)) END`;
  return [
    db
      .insert(maintenanceOccurrences)
      .select(
        sql`SELECT value ->> 'maintenance_id', value ->> 'start_at', value ->> 'end_at' FROM json_each(${rows}) WHERE true`,
      )
      .onConflictDoUpdate({
        target: [maintenanceOccurrences.maintenance_id, maintenanceOccurrences.start_at],
        set: { end_at: sql`excluded.end_at` },
      }),
    db
      .insert(maintenanceCoverage)
      .select(
        sql`SELECT w.status_page_id, w.id, r.value ->> 'start_at', r.value ->> 'end_at', w.is_public, w.covers_page, ${covered}
          FROM json_each(${rows}) AS r JOIN ${maintenance} AS w ON w.id = r.value ->> 'maintenance_id' WHERE true`,
      )
      .onConflictDoUpdate({
        target: [maintenanceCoverage.status_page_id, maintenanceCoverage.maintenance_id, maintenanceCoverage.start_at],
        set: {
          end_at: sql`excluded.end_at`,
          is_public: sql`excluded.is_public`,
          covers_page: sql`excluded.covers_page`,
          monitor_ids: sql`excluded.monitor_ids`,
        },
      }),
    ...invalidateCovered(db, occurrences),
  ];
}

/** Days that are aggregated already, where one of these occurrences reaches that far back. */
function invalidateCovered(db: Db, occurrences: readonly OccurrenceRecord[]): Statement[] {
  const touched_from = Math.min(...occurrences.map(({ start_at }) => start_at));
  const aggregated = sql`r.to_at > ${touched_from}`;
  const windows = JSON.stringify([...new Set(occurrences.map(({ maintenance_id }) => maintenance_id))]);
  const covered = sql`(SELECT m.id FROM json_each(${windows}) AS v, ${monitors} AS m
    JOIN ${dailyAggregates} AS r ON r.monitor_id = m.id AND ${aggregated}
    WHERE m.id IN (${selectCovered(sql`v.value`)})
      OR m.id IN (SELECT c.parent_monitor_id FROM ${monitors} AS c WHERE c.id IN (${selectCovered(sql`v.value`)})))`;
  return [
    db
      .update(monitors)
      .set({ history_version: sql`${monitors.history_version} + 1` })
      .where(sql`${monitors.id} IN ${covered}`),
    db
      .delete(dailyAggregates)
      .where(and(gt(dailyAggregates.to_at, touched_from), sql`${dailyAggregates.monitor_id} IN ${covered}`)),
  ];
}

/** For a window that is deleted: what it covered stays covered, but not from now on. */
export function endCoverage(db: Db, maintenanceId: string, now: number): Statement {
  const { maintenance_id, start_at, end_at } = maintenanceCoverage;
  return db
    .update(maintenanceCoverage)
    .set({ end_at: sql`max(${start_at}, ${now})` })
    .where(and(eq(maintenance_id, maintenanceId), gt(end_at, now)));
}

interface CoveredMove {
  monitor_ids: readonly string[];
  to_page_id: string;
  now: number;
}

/**
 * For monitors that move to another page, before they do: what their time there was in maintenance goes with their history,
 * which bars and percentages of the new page show.
 */
export function copyCoverage(db: Db, { monitor_ids, to_page_id, now }: CoveredMove): Statement {
  const moved = JSON.stringify(monitor_ids);
  const covered = sql`SELECT json_group_array(m.id) FROM ${monitors} AS m WHERE m.id IN (SELECT value FROM json_each(${moved}))
    AND m.status_page_id = c.status_page_id
    AND ((c.covers_page = 1 AND coalesce(m.page_since, m.created_at) < c.end_at)
      OR m.id IN (SELECT value FROM json_each(c.monitor_ids)))`;
  const both = sql`(SELECT json_group_array(value) FROM (
    SELECT value FROM json_each(${maintenanceCoverage.monitor_ids}) UNION SELECT value FROM json_each(excluded.monitor_ids)))`;
  return db
    .insert(maintenanceCoverage)
    .select(
      sql`SELECT ${to_page_id}, c.maintenance_id, c.start_at, min(c.end_at, ${now}), c.is_public, 0, c.monitor_ids FROM (
          SELECT c.maintenance_id, c.start_at, c.end_at, c.is_public, (${covered}) AS monitor_ids
          FROM ${maintenanceCoverage} AS c WHERE c.start_at < ${now} AND c.status_page_id IN (
            SELECT DISTINCT m.status_page_id FROM ${monitors} AS m WHERE m.id IN (SELECT value FROM json_each(${moved})))
        ) AS c WHERE c.monitor_ids <> '[]'`,
    )
    .onConflictDoUpdate({
      target: [maintenanceCoverage.status_page_id, maintenanceCoverage.maintenance_id, maintenanceCoverage.start_at],
      set: { monitor_ids: both },
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
