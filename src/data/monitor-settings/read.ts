import { and, asc, count, desc, eq, lt, max, type SQL, sql } from "drizzle-orm";
import type { MonitorFilter, MonitorSort } from "../../contract/monitor.ts";
import type { Pagination } from "../../contract/pagination.ts";
import type { Db } from "../db.ts";
import { containsText, holdsOneOf, isOneOf } from "../filters.ts";
import { isAbove, skippedOf } from "../keyset.ts";
import { type Viewer, visibleTo } from "../members/read.ts";
import type { MonitorRecord } from "../monitors/read.ts";
import { monitors } from "../monitors/table.ts";

/** What people change of monitors, and the lists they see. */

export const among = (ids: readonly string[]) => sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;

/** What comes before the order that people set; the worst status first. */
const SORTS: Record<MonitorSort, SQL[]> = {
  position: [],
  name: [sql`lower(${monitors.name})`],
  status: [
    sql`CASE ${monitors.status} WHEN 'down' THEN 0 WHEN 'degraded' THEN 1 WHEN 'unknown' THEN 2 WHEN 'pending' THEN 3 WHEN 'up' THEN 4 ELSE 5 END`,
  ],
  since: [desc(monitors.status_since)],
};

/** The monitors of one page, or all that are visible to one user, in their order. */
export async function listMonitors(
  db: Db,
  scope: { status_page_id: string } | { visible_to: Viewer },
  page: Pagination,
  filter: MonitorFilter = {},
  sort: MonitorSort = "position",
) {
  const scoped =
    "visible_to" in scope ? visibleTo(scope.visible_to, monitors) : eq(monitors.status_page_id, scope.status_page_id);
  const { certificate_expires_before, domain_expires_before } = filter;
  const within = and(
    scoped,
    isOneOf(monitors.status, filter.status),
    isOneOf(monitors.type, filter.type),
    isOneOf(monitors.group_id, filter.group_id),
    isOneOf(monitors.status_page_id, filter.status_page_id),
    isOneOf(monitors.external_key, filter.external_key),
    holdsOneOf(monitors.tags, filter.tag),
    containsText([monitors.name, monitors.target], filter.q),
    certificate_expires_before === undefined
      ? undefined
      : lt(monitors.certificate_expires_at, certificate_expires_before),
    domain_expires_before === undefined ? undefined : lt(monitors.domain_expires_at, domain_expires_before),
  );
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(monitors)
      .where(and(within, isAbove(page, monitors.position, monitors.id)))
      .orderBy(...SORTS[sort], asc(monitors.position), asc(monitors.id))
      .limit(page.limit)
      .offset(skippedOf(page)),
    db.select({ total: count() }).from(monitors).where(within),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

export async function listMonitorsByIds(db: Db, ids: readonly string[]): Promise<MonitorRecord[]> {
  if (ids.length === 0) return [];
  return db
    .select()
    .from(monitors)
    .where(sql`${monitors.id} IN ${among(ids)}`)
    .limit(ids.length);
}

/** Members of these composites, in the order in which they stand on the page. */
export async function listChildren(db: Db, compositeIds: readonly string[]) {
  if (compositeIds.length === 0) return [];
  return db
    .select({ id: monitors.id, parent_monitor_id: monitors.parent_monitor_id })
    .from(monitors)
    .where(sql`${monitors.parent_monitor_id} IN ${among(compositeIds)}`)
    .orderBy(asc(monitors.position), asc(monitors.id));
}

export async function countMonitors(db: Db, ownerId: string): Promise<number> {
  const rows = await db.select({ total: count() }).from(monitors).where(eq(monitors.owner_id, ownerId));
  return rows[0]?.total ?? 0;
}

/** The position below everything that the owner has. */
export async function findNextPosition(db: Db, ownerId: string): Promise<number> {
  const rows = await db
    .select({ last: max(monitors.position) })
    .from(monitors)
    .where(eq(monitors.owner_id, ownerId));
  return (rows[0]?.last ?? -1) + 1;
}

/** The condition under which an account has used up its monitors. */
export function hasMonitors(ownerId: string, atLeast: number): SQL {
  return sql`(SELECT count(*) FROM ${monitors} WHERE ${monitors.owner_id} = ${ownerId}) >= ${atLeast}`;
}

/** The condition that another request has changed or deleted the monitor since it was read. */
export function isChanged(monitor: Pick<MonitorRecord, "id" | "config_version">): SQL {
  return sql`coalesce((SELECT ${monitors.config_version} FROM ${monitors} WHERE ${monitors.id} = ${monitor.id}), 0) <> ${monitor.config_version}`;
}

/** The same of several. */
export function areChanged(known: readonly Pick<MonitorRecord, "id" | "config_version">[]): SQL {
  const versions = JSON.stringify(known.map(({ id, config_version }) => ({ id, config_version })));
  return sql`EXISTS (SELECT 1 FROM json_each(${versions}) k LEFT JOIN ${monitors} ON ${monitors.id} = k.value ->> 'id'
    WHERE ${monitors.config_version} IS NOT k.value ->> 'config_version')`;
}
