import { and, asc, count, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import type { MonitorFilter, MonitorSort } from "../../contract/monitor.ts";
import { MONITOR_STATUSES } from "../../contract/monitor-values.ts";
import type { Pagination } from "../../contract/pagination.ts";
import type { Db } from "../db.ts";
import { containsText, holdsOneOf, isOneOf } from "../filters.ts";
import { isAbove, skippedOf } from "../keyset.ts";
import { type RowOf, readRows } from "../long-list.ts";
import { type Viewer, visibleTo } from "../members/read.ts";
import { monitorGroups } from "../monitor-groups/table.ts";
import type { MonitorRecord } from "../monitors/read.ts";
import { monitors } from "../monitors/table.ts";
import { statusPages } from "../status-pages/table.ts";

/** What people change of monitors, and the lists they see. */

export const among = (ids: readonly string[]) => sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;

/** Pages by name, what is on none last. */
const BY_PAGE = [
  sql`${monitors.status_page_id} IS NULL`,
  sql`(SELECT lower(p.name) FROM ${statusPages} p WHERE p.id = ${monitors.status_page_id})`,
  asc(monitors.status_page_id),
];

/** What comes before the order that people set; the worst status first. */
const SORTS: Record<MonitorSort, SQL[]> = {
  position: [],
  name: [sql`lower(${monitors.name})`],
  status: [
    sql`CASE ${monitors.status} WHEN 'down' THEN 0 WHEN 'degraded' THEN 1 WHEN 'unknown' THEN 2 WHEN 'pending' THEN 3 WHEN 'up' THEN 4 ELSE 5 END`,
  ],
  since: [desc(monitors.status_since)],
  page: BY_PAGE,
  group: [
    ...BY_PAGE,
    sql`${monitors.group_id} IS NULL`,
    sql`(SELECT g.position FROM ${monitorGroups} g WHERE g.id = ${monitors.group_id})`,
    asc(monitors.group_id),
  ],
};

/** What lists show of monitors, and what decides how they show it. */
const LISTED = {
  id: monitors.id,
  owner_id: monitors.owner_id,
  status_page_id: monitors.status_page_id,
  group_id: monitors.group_id,
  parent_monitor_id: monitors.parent_monitor_id,
  agent_id: monitors.agent_id,
  is_internal: monitors.is_internal,
  external_key: monitors.external_key,
  tags: monitors.tags,
  name: monitors.name,
  type: monitors.type,
  target: monitors.target,
  interval: monitors.interval,
  timeout_seconds: monitors.timeout_seconds,
  failure_threshold: monitors.failure_threshold,
  recovery_threshold: monitors.recovery_threshold,
  retry_interval: monitors.retry_interval,
  latency_threshold_ms: monitors.latency_threshold_ms,
  regions: monitors.regions,
  locations: monitors.locations,
  region_policy: monitors.region_policy,
  confirm_outside: monitors.confirm_outside,
  locations_down: monitors.locations_down,
  auto_create_incident: monitors.auto_create_incident,
  auto_publish_incident: monitors.auto_publish_incident,
  incident_severity: monitors.incident_severity,
  options: monitors.options,
  sealed: monitors.sealed,
  position: monitors.position,
  check_group_id: monitors.check_group_id,
  shard_id: monitors.shard_id,
  other_shards: monitors.other_shards,
  measured_by: monitors.measured_by,
  last_result: monitors.last_result,
  paused: monitors.paused,
  muted_until: monitors.muted_until,
  flapping: monitors.flapping,
  status: monitors.status,
  status_since: monitors.status_since,
  status_message: monitors.status_message,
  certificate_expires_at: monitors.certificate_expires_at,
  domain_expires_at: monitors.domain_expires_at,
  created_at: monitors.created_at,
  updated_at: monitors.updated_at,
};
export type ListedMonitor = RowOf<typeof LISTED>;

/** What names the monitors of a page in a choice, in their order. */
export function listMonitorNames(db: Db, statusPageId: string, limit: number) {
  return db
    .select({
      id: monitors.id,
      name: monitors.name,
      status: monitors.status,
      group_id: monitors.group_id,
      created_at: monitors.created_at,
    })
    .from(monitors)
    .where(eq(monitors.status_page_id, statusPageId))
    .orderBy(asc(monitors.position), asc(monitors.id))
    .limit(limit);
}

/** 1 where it depends on others, so that a view of it reads those. */
const IS_DEPENDENT = sql<number>`EXISTS (SELECT 1 FROM monitor_dependencies d WHERE d.monitor_id = monitors.id)`;

type MonitorScope = { status_page_id: string } | { visible_to: Viewer };

function isWithin(scope: MonitorScope, filter: MonitorFilter): SQL | undefined {
  const scoped =
    "visible_to" in scope ? visibleTo(scope.visible_to, monitors) : eq(monitors.status_page_id, scope.status_page_id);
  const { certificate_expires_before, domain_expires_before } = filter;
  return and(
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
}

/** A page, and one of its groups where groups are asked for; "" stands for none. */
export interface MonitorPlace {
  page: string;
  group: string;
}

/** How many of these have which status in each of the places. */
export function countMonitorsByPlace(
  db: Db,
  scope: MonitorScope,
  filter: MonitorFilter,
  { by, places }: { by: "page" | "group"; places: readonly MonitorPlace[] },
) {
  const page = sql<string>`coalesce(${monitors.status_page_id}, '')`;
  const group = by === "page" ? sql<string>`''` : sql<string>`coalesce(${monitors.group_id}, '')`;
  const wanted = JSON.stringify(places.map((place) => `${place.page} ${place.group}`));
  return db
    .select({ page, group, status: monitors.status, count: count() })
    .from(monitors)
    .where(and(isWithin(scope, filter), sql`${page} || ' ' || ${group} IN (SELECT value FROM json_each(${wanted}))`))
    .groupBy(page, group, monitors.status)
    .limit(places.length * MONITOR_STATUSES.length);
}

/** The monitors of one page, or all that are visible to one user, in their order. */
export async function listMonitors(
  db: Db,
  scope: MonitorScope,
  page: Pagination,
  filter: MonitorFilter = {},
  sort: MonitorSort = "position",
) {
  const within = isWithin(scope, filter);
  const counted = db.select({ total: count() }).from(monitors).where(within);
  // Counted once, however many rows carry it: another query would cost another round trip.
  const columns = { ...LISTED, total: sql<number>`(${counted})`, is_dependent: IS_DEPENDENT };
  const select = db
    .select(columns)
    .from(monitors)
    .where(and(within, isAbove(page, monitors.position, monitors.id)))
    .orderBy(...SORTS[sort], asc(monitors.position), asc(monitors.id))
    .limit(page.limit)
    .offset(skippedOf(page));
  const rows: (ListedMonitor & { total: number; is_dependent: number })[] = await readRows(db, columns, select);
  const isPastTheEnd = rows.length === 0 && (page.cursor !== undefined || page.offset > 0);
  const total = isPastTheEnd ? (await counted)[0]?.total : rows[0]?.total;
  return { rows, total: total ?? 0 };
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
