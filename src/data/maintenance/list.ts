import { and, count, desc, eq, type SQL, sql } from "drizzle-orm";
import type { MaintenanceFilter, MaintenanceTarget } from "../../contract/maintenance.ts";
import type { Pagination } from "../../contract/pagination.ts";
import type { Db } from "../db.ts";
import { isBelow, skippedOf } from "../keyset.ts";
import { type Viewer, visibleTo } from "../members/read.ts";
import { statusPages } from "../status-pages/table.ts";
import { writtenOrder, writtenPlace } from "../written-order.ts";
import type { MaintenanceRecord, MaintenanceUpdateRecord } from "./read.ts";
import { maintenance, maintenanceGroups, maintenanceMonitors, maintenanceUpdates } from "./table.ts";

/** A window with the zone of its page, its targets and its newest updates, newest first. */
export interface MaintenanceDetail extends MaintenanceRecord {
  timezone: string;
  targets: MaintenanceTarget[];
  updates: MaintenanceUpdateRecord[];
}

interface Page {
  limit: number;
  offset: number;
}

export async function listMaintenance(
  db: Db,
  scope: { visible_to: Viewer } | { status_page_id: string },
  filter: MaintenanceFilter & { now: number },
  page: Pagination,
) {
  const { from, to } = filter;
  const start = sql`coalesce(${maintenance.occurrence_start_at}, ${maintenance.start_time})`;
  const wanted = and(
    "visible_to" in scope
      ? visibleTo(scope.visible_to, maintenance)
      : eq(maintenance.status_page_id, scope.status_page_id),
    filter.status && sql`${statusAt(filter.now)} IN (SELECT value FROM json_each(${JSON.stringify(filter.status)}))`,
    from === undefined ? undefined : sql`${start} >= ${from}`,
    to === undefined ? undefined : sql`${start} < ${to}`,
  );
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(maintenance)
      .where(and(wanted, isBelow(page, maintenance.start_time, maintenance.id)))
      .orderBy(desc(maintenance.start_time), desc(maintenance.id))
      .limit(page.limit)
      .offset(skippedOf(page)),
    db.select({ total: count() }).from(maintenance).where(wanted),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

/** As domain/maintenance.ts; a recurring window whose occurrence has just ended waits for the sweep to set the next one. */
function statusAt(now: number): SQL {
  const { occurrence_start_at, occurrence_end_at, recurrence_type } = maintenance;
  return sql`CASE
    WHEN ${occurrence_start_at} IS NULL THEN 'completed'
    WHEN ${occurrence_start_at} > ${now} THEN 'scheduled'
    WHEN ${occurrence_end_at} > ${now} THEN 'in_progress'
    WHEN ${recurrence_type} = 'none' THEN 'completed'
    ELSE 'scheduled' END`;
}

/** Loads what belongs to these windows, in one round trip for all of them. */
export async function detailMaintenance(
  db: Db,
  found: readonly MaintenanceRecord[],
  updatesMax: number,
): Promise<MaintenanceDetail[]> {
  if (found.length === 0) return [];
  const listOf = (values: string[]) => sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`;
  const ids = listOf(found.map(({ id }) => id));
  const newest = sql`(SELECT id FROM (
    SELECT id, row_number() OVER (PARTITION BY maintenance_id ORDER BY created_at DESC, rowid DESC) AS place
    FROM maintenance_updates WHERE maintenance_id IN ${ids}) WHERE place <= ${updatesMax})`;
  const [pages, updates, monitors, groups] = await db.batch([
    db
      .select({ id: statusPages.id, timezone: statusPages.timezone })
      .from(statusPages)
      .where(sql`${statusPages.id} IN ${listOf(found.map((window) => window.status_page_id))}`),
    db
      .select()
      .from(maintenanceUpdates)
      .where(sql`${maintenanceUpdates.id} IN ${newest}`)
      .orderBy(desc(maintenanceUpdates.created_at), desc(writtenOrder(maintenanceUpdates))),
    db
      .select({ maintenance_id: maintenanceMonitors.maintenance_id, monitor_id: maintenanceMonitors.monitor_id })
      .from(maintenanceMonitors)
      .where(
        // A monitor that has left the page is not maintained there any more.
        sql`${maintenanceMonitors.maintenance_id} IN ${ids} AND EXISTS (SELECT 1 FROM monitors m, maintenance w
          WHERE m.id = ${maintenanceMonitors.monitor_id} AND w.id = ${maintenanceMonitors.maintenance_id}
            AND m.status_page_id = w.status_page_id)`,
      ),
    db.select().from(maintenanceGroups).where(sql`${maintenanceGroups.maintenance_id} IN ${ids}`),
  ]);
  const zoneOf = new Map(pages.map((page) => [page.id, page.timezone]));
  const updatesOf = Map.groupBy(updates, (update) => update.maintenance_id);
  const targetsOf = Map.groupBy(
    [
      ...monitors.map((link) => ({
        of: link.maintenance_id,
        target_type: "monitor" as const,
        target_id: link.monitor_id,
      })),
      ...groups.map((link) => ({ of: link.maintenance_id, target_type: "group" as const, target_id: link.group_id })),
    ],
    (target) => target.of,
  );
  return found.map((window) => ({
    ...window,
    timezone: zoneOf.get(window.status_page_id) ?? "UTC",
    targets: (targetsOf.get(window.id) ?? []).map(({ target_type, target_id }) => ({ target_type, target_id })),
    updates: updatesOf.get(window.id) ?? [],
  }));
}

export async function listMaintenanceUpdates(db: Db, maintenanceId: string, page: Page) {
  const wanted = eq(maintenanceUpdates.maintenance_id, maintenanceId);
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(maintenanceUpdates)
      .where(wanted)
      .orderBy(desc(maintenanceUpdates.created_at), desc(writtenOrder(maintenanceUpdates)))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(maintenanceUpdates).where(wanted),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

/** How many updates of its window are newer than this one. */
export async function countNewerMaintenanceUpdates(
  db: Db,
  { maintenance_id, created_at, id }: MaintenanceUpdateRecord,
) {
  const place = writtenPlace(maintenanceUpdates, id);
  const isNewer = sql`(${maintenanceUpdates.created_at}, ${writtenOrder(maintenanceUpdates)}) > (${created_at}, ${place})`;
  return db.$count(maintenanceUpdates, and(eq(maintenanceUpdates.maintenance_id, maintenance_id), isNewer));
}
