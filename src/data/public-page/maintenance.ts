import { and, asc, desc, eq, getTableColumns, gte, inArray, isNotNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import {
  maintenance,
  maintenanceGroups,
  maintenanceMonitors,
  maintenanceOccurrences,
  maintenanceUpdates,
} from "../maintenance/table.ts";
import { coversMonitor } from "../maintenance/targets.ts";
import { monitors } from "../monitors/table.ts";
import { writtenOrder } from "../written-order.ts";
import { newestTexts } from "./newest-texts.ts";
import { isPubliclyVisible } from "./visible-monitors.ts";

/** Maintenance as the public sees it. */
const WINDOWS_MAX = 50;
const UPDATES_MAX = 1000;
const PAST_OCCURRENCES_MAX = 100;

/** The one place that decides which windows the public sees. */
const isPublic = (pageId: string) => and(eq(maintenance.status_page_id, pageId), eq(maintenance.is_public, true));

/** Public windows with an occurrence to come, or one that was over after that moment. */
export function recentMaintenance(pageId: string, since: number): SQL | undefined {
  const wasOpen = sql`EXISTS (SELECT 1 FROM ${maintenanceOccurrences}
    WHERE ${maintenanceOccurrences.maintenance_id} = ${maintenance.id} AND ${maintenanceOccurrences.end_at} >= ${since})`;
  return and(isPublic(pageId), or(isNotNull(maintenance.next_edge_at), wasOpen));
}

/** One public window, however long it is over. */
export async function findShownMaintenance(
  db: Db,
  { page_id, maintenance_id }: { page_id: string; maintenance_id: string },
) {
  const chosen = and(isPublic(page_id), eq(maintenance.id, maintenance_id));
  const [windows, linked, said, past] = await db.batch(selectMaintenance(db, page_id, { chosen, since: 0 }));
  return joinMaintenance(windows, linked, said, past)[0];
}

/** Occurrences of public windows that are over and began before that moment, the last begun first. */
export async function listPastOccurrences(
  db: Db,
  { page_id, before, ended_by, limit }: { page_id: string; before: number; ended_by: number; limit: number },
) {
  const rows = await db
    .select({
      maintenance_id: maintenanceOccurrences.maintenance_id,
      title: maintenance.title,
      start_at: maintenanceOccurrences.start_at,
      end_at: maintenanceOccurrences.end_at,
    })
    .from(maintenance)
    .innerJoin(maintenanceOccurrences, eq(maintenanceOccurrences.maintenance_id, maintenance.id))
    .where(
      and(isPublic(page_id), lt(maintenanceOccurrences.start_at, before), lte(maintenanceOccurrences.end_at, ended_by)),
    )
    .orderBy(desc(maintenanceOccurrences.start_at), desc(maintenanceOccurrences.maintenance_id))
    .limit(limit);
  const ids = [...new Set(rows.map((row) => row.maintenance_id))];
  const linked = await db
    .select({ maintenance_id: maintenance.id, monitor_id: monitors.id })
    .from(maintenance)
    .innerJoin(monitors, TARGETS)
    .where(
      and(
        isPubliclyVisible(page_id),
        isPublic(page_id),
        sql`${maintenance.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
      ),
    );
  const linksOf = Map.groupBy(linked, (link) => link.maintenance_id);
  return rows.map((row) => ({
    ...row,
    monitor_ids: (linksOf.get(row.maintenance_id) ?? []).map((link) => link.monitor_id),
  }));
}

const TARGETS = sql`(${coversMonitor("maintenance", "monitors")}
    OR EXISTS (SELECT 1 FROM monitors c WHERE c.parent_monitor_id = ${monitors.id} AND ${coversMonitor("maintenance", "c")}))`;

const ORDER = [
  sql`${maintenance.occurrence_start_at} IS NULL`,
  asc(maintenance.occurrence_start_at),
  asc(maintenance.id),
];

/** Windows with their targets, updates and the occurrences that ended after `since`. */
export function selectMaintenance(
  db: Db,
  pageId: string,
  { chosen, since }: { chosen: SQL | undefined; since: number },
) {
  const ids = () =>
    db
      .select({ id: maintenance.id })
      .from(maintenance)
      .where(chosen)
      .orderBy(...ORDER)
      .limit(WINDOWS_MAX);
  return [
    db
      .select()
      .from(maintenance)
      .where(chosen)
      .orderBy(...ORDER)
      .limit(WINDOWS_MAX),
    db
      // A batch gives rows by the names of their columns, and both of these are called id.
      .select({
        maintenance_id: sql<string>`${maintenance.id}`.as("maintenance_id"),
        monitor_id: sql<string>`${monitors.id}`.as("monitor_id"),
      })
      .from(maintenance)
      .innerJoin(monitors, TARGETS)
      .where(and(isPubliclyVisible(pageId), inArray(maintenance.id, ids()))),
    db
      .select({
        ...getTableColumns(maintenanceUpdates),
        message: newestTexts({
          ...getTableColumns(maintenanceUpdates),
          subject_id: maintenanceUpdates.maintenance_id,
          written: writtenOrder(maintenanceUpdates),
        }),
      })
      .from(maintenanceUpdates)
      .where(inArray(maintenanceUpdates.maintenance_id, ids()))
      .orderBy(desc(maintenanceUpdates.created_at), desc(writtenOrder(maintenanceUpdates)))
      .limit(UPDATES_MAX),
    db
      .select()
      .from(maintenanceOccurrences)
      .where(and(inArray(maintenanceOccurrences.maintenance_id, ids()), gte(maintenanceOccurrences.end_at, since)))
      .orderBy(desc(maintenanceOccurrences.start_at))
      .limit(PAST_OCCURRENCES_MAX),
  ] as const;
}

/** Monitors and groups that the windows name, and the page itself where they cover the whole of it. */
export function selectTargets(db: Db, chosen: SQL | undefined) {
  const ids = () =>
    db
      .select({ id: maintenance.id })
      .from(maintenance)
      .where(chosen)
      .orderBy(...ORDER)
      .limit(WINDOWS_MAX);
  return db
    .select({ maintenance_id: maintenanceMonitors.maintenance_id, target_id: maintenanceMonitors.monitor_id })
    .from(maintenanceMonitors)
    .where(inArray(maintenanceMonitors.maintenance_id, ids()))
    .unionAll(
      db
        .select({ maintenance_id: maintenanceGroups.maintenance_id, target_id: maintenanceGroups.group_id })
        .from(maintenanceGroups)
        .where(inArray(maintenanceGroups.maintenance_id, ids())),
    )
    .unionAll(
      db
        .select({ maintenance_id: maintenance.id, target_id: maintenance.status_page_id })
        .from(maintenance)
        .where(and(inArray(maintenance.id, ids()), eq(maintenance.covers_page, true))),
    );
}

export function joinMaintenance<
  Window extends { id: string },
  Link extends { maintenance_id: string; monitor_id: string },
  Update extends { maintenance_id: string },
  Past extends { maintenance_id: string },
>(windows: Window[], linked: Link[], said: Update[], past: Past[]) {
  const linksOf = Map.groupBy(linked, (link) => link.maintenance_id);
  const updatesOf = Map.groupBy(said, (update) => update.maintenance_id);
  const pastOf = Map.groupBy(past, (occurrence) => occurrence.maintenance_id);
  return windows.map((window) => ({
    ...window,
    monitor_ids: (linksOf.get(window.id) ?? []).map((link) => link.monitor_id),
    updates: updatesOf.get(window.id) ?? [],
    past: pastOf.get(window.id) ?? [],
  }));
}
