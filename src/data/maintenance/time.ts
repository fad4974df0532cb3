import { and, eq, gt, lt, type SQL, sql } from "drizzle-orm";
import { compositeMaintenance } from "../../domain/sla.ts";
import type { MaintenanceSpan, StatusInterval } from "../../domain/uptime.ts";
import type { Db } from "../db.ts";
import { monitors } from "../monitors/table.ts";
import { slaAssignments, slaPolicies } from "../sla/table.ts";
import { listIntervalsOf } from "../status-intervals/read.ts";
import { maintenanceCoverage } from "./table.ts";

export type CoverageRecord = typeof maintenanceCoverage.$inferSelect;

/** Occurrences of a range; a page has seldom more than one a day. */
const COVERAGE_MAX = 20_000;

interface Range {
  since: number;
  now: number;
}

/** When a monitor was in maintenance, and whether its page counts that like any other time. */
export interface MaintenanceTime {
  spans: readonly MaintenanceSpan[];
  is_excluded: boolean;
}

const NO_MAINTENANCE: MaintenanceTime = { spans: [], is_excluded: true };

export interface MonitorOnPage {
  id: string;
  status_page_id: string | null;
  page_since: number | null;
}

/** What pages, given as a list in a query, had in maintenance. */
export function selectCoverage(db: Db, pageIds: SQL, { since, now }: Range) {
  return db
    .select()
    .from(maintenanceCoverage)
    .where(
      and(
        sql`${maintenanceCoverage.status_page_id} IN ${pageIds}`,
        gt(maintenanceCoverage.end_at, since),
        lt(maintenanceCoverage.start_at, now),
      ),
    )
    .limit(COVERAGE_MAX);
}

/** Those of the pages whose policy counts time in maintenance like any other. */
export function selectCountingPages(db: Db, pageIds: SQL) {
  return db
    .select({ status_page_id: slaAssignments.status_page_id })
    .from(slaAssignments)
    .innerJoin(slaPolicies, eq(slaPolicies.id, slaAssignments.policy_id))
    .where(and(sql`${slaAssignments.status_page_id} IN ${pageIds}`, eq(slaPolicies.exclude_maintenance, false)));
}

export interface KnownMaintenance {
  coverage: readonly CoverageRecord[];
  counting: readonly { status_page_id: string }[];
}

/**
 * The one answer to when monitors were in maintenance: for bars, percentages, badges, the API and reports. A monitor is
 * while an occurrence that covers it lasts; a composite also while all that made it down was.
 */
export async function readMaintenanceTime(db: Db, monitorIds: readonly string[], range: Range) {
  const ids = sql`(SELECT value FROM json_each(${JSON.stringify(monitorIds)}))`;
  const pages = sql`(SELECT m.status_page_id FROM monitors m WHERE m.id IN ${ids})`;
  const { id, status_page_id, page_since } = monitors;
  const [onPages, coverage, counting] = await db.batch([
    db.select({ id, status_page_id, page_since }).from(monitors).where(sql`${monitors.id} IN ${ids}`),
    selectCoverage(db, pages, range),
    selectCountingPages(db, pages),
  ]);
  return composeMaintenanceTime(db, onPages, { coverage, counting }, range);
}

/** The same of what was read already; asks again only where members of composites were in maintenance. */
export async function composeMaintenanceTime(
  db: Db,
  onPages: readonly MonitorOnPage[],
  { coverage, counting }: KnownMaintenance,
  { since, now }: Range,
): Promise<(monitorId: string) => MaintenanceTime> {
  if (coverage.length === 0 && counting.length === 0) return () => NO_MAINTENANCE;
  const covered = indexCoverage(coverage);
  const counts = new Set(counting.map(({ status_page_id }) => status_page_id));
  const byMembers = await composeByMembers(db, onPages, { covered, coverage, since, now });
  const times = onPages.map((monitor): [string, MaintenanceTime] => {
    const is_excluded = monitor.status_page_id === null || !counts.has(monitor.status_page_id);
    return [monitor.id, { spans: [...covered(monitor), ...(byMembers.get(monitor.id) ?? [])], is_excluded }];
  });
  const timeOf = new Map(times);
  return (monitorId) => timeOf.get(monitorId) ?? NO_MAINTENANCE;
}

/** What covered a monitor by itself. A window of the whole page covers only those that were on it. */
export function indexCoverage(coverage: readonly CoverageRecord[]): (monitor: MonitorOnPage) => MaintenanceSpan[] {
  const whole = Map.groupBy(
    coverage.filter(({ covers_page }) => covers_page),
    ({ status_page_id }) => status_page_id,
  );
  const named = new Map<string, MaintenanceSpan[]>();
  for (const { monitor_ids, status_page_id, ...record } of coverage) {
    for (const id of monitor_ids) {
      const key = `${status_page_id} ${id}`;
      named.set(key, [...(named.get(key) ?? []), spanOf(record)]);
    }
  }
  return ({ id, status_page_id, page_since }) => [
    ...(named.get(`${status_page_id} ${id}`) ?? []),
    ...(whole.get(status_page_id ?? "") ?? [])
      .map(spanOf)
      .map((span) => ({ ...span, from_at: Math.max(span.from_at, page_since ?? span.from_at) }))
      .filter(({ from_at, to_at }) => from_at < to_at),
  ];
}

function spanOf({ start_at, end_at, is_public }: Pick<CoverageRecord, "start_at" | "end_at" | "is_public">) {
  return { from_at: start_at, to_at: end_at, is_public };
}

interface ByMembers extends Range {
  coverage: readonly CoverageRecord[];
  covered: (monitor: MonitorOnPage) => MaintenanceSpan[];
}

/** Choice: it is public where a member's was, because the page shows the composite in place of its members. */
async function composeByMembers(
  db: Db,
  onPages: readonly MonitorOnPage[],
  { coverage, covered, since, now }: ByMembers,
): Promise<Map<string, MaintenanceSpan[]>> {
  const named = [...new Set(coverage.flatMap(({ monitor_ids }) => monitor_ids))];
  if (named.length === 0) return new Map();
  const parents = sql`(SELECT c.parent_monitor_id FROM monitors c WHERE c.id IN (SELECT value FROM json_each(${JSON.stringify(named)})))`;
  const among = sql`(SELECT value FROM json_each(${JSON.stringify(onPages.map(({ id }) => id))}))`;
  const { id, status_page_id, page_since, parent_monitor_id } = monitors;
  const members = await db
    .select({ id, status_page_id, page_since, parent_monitor_id })
    .from(monitors)
    .where(sql`${parent_monitor_id} IN ${parents} AND ${parent_monitor_id} IN ${among}`);
  if (members.length === 0) return new Map();
  const intervals = await listIntervalsOf(
    db,
    members.map((member) => ({ monitor_id: member.id, since })),
  );
  const intervalsOf = Map.groupBy(intervals, ({ monitor_id }) => monitor_id);
  const membersOf = Map.groupBy(members, (member) => member.parent_monitor_id ?? "");
  return new Map(
    [...membersOf].map(([parentId, siblings]) => {
      const histories = siblings.map((member) => ({
        intervals: (intervalsOf.get(member.id) ?? []) as readonly StatusInterval[],
        maintenance: covered(member),
      }));
      const is_public = histories.some(({ maintenance }) => maintenance.some((span) => span.is_public));
      return [parentId, compositeMaintenance(histories, now).map((span) => ({ ...span, is_public }))];
    }),
  );
}
