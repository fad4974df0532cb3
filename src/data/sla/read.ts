import { and, asc, count, eq, gt, gte, isNull, lt, or, sql } from "drizzle-orm";
import type { MonitorStatus } from "../../contract/monitor-values.ts";
import type { Membership } from "../../domain/roles.ts";
import type { StatusInterval } from "../../domain/uptime.ts";
import type { Db } from "../db.ts";
import { maintenance, maintenanceGroups, maintenanceMonitors, maintenanceOccurrences } from "../maintenance/table.ts";
import { pageMembers } from "../members/table.ts";
import { monitors, statusIntervals } from "../monitors/table.ts";
import { statusPages } from "../status-pages/table.ts";
import { slaAssignments, slaPolicies, slaTargets } from "./table.ts";

export type SlaPolicyRecord = typeof slaPolicies.$inferSelect;
export type SlaTargetRecord = typeof slaTargets.$inferSelect;

const MONITORS_MAX = 5000;
const MEMBERSHIPS_MAX = 100;
/** What one report may take into memory, and 5,000 monitors with twenty changes each. */
const SLA_INTERVALS_MAX = 100_000;

export async function findSlaPolicy(db: Db, policyId: string): Promise<SlaPolicyRecord | undefined> {
  const rows = await db.select().from(slaPolicies).where(eq(slaPolicies.id, policyId)).limit(1);
  return rows[0];
}

/** The roles of a user on the pages of a policy's account, and on those measured by it. */
export async function listMembershipsNearPolicy(
  db: Db,
  policy: Pick<SlaPolicyRecord, "id" | "owner_id">,
  userId: string,
): Promise<Membership[]> {
  const measured = sql`${statusPages.id} IN (SELECT status_page_id FROM ${slaAssignments} WHERE policy_id = ${policy.id})`;
  const near = or(eq(statusPages.owner_id, policy.owner_id), measured);
  const [owned, joined] = await db.batch([
    db
      .select({ id: statusPages.id })
      .from(statusPages)
      .where(and(eq(statusPages.owner_id, userId), measured))
      .limit(1),
    db
      .select({ role: pageMembers.role, capabilities: pageMembers.capabilities })
      .from(pageMembers)
      .innerJoin(statusPages, eq(statusPages.id, pageMembers.status_page_id))
      .where(and(eq(pageMembers.user_id, userId), near))
      .limit(MEMBERSHIPS_MAX),
  ]);
  return [...owned.map(() => ({ role: "owner" as const, capabilities: [] })), ...joined];
}

interface PolicyScope {
  owner_id: string;
  /** Also the policy of this page, whosever it is. */
  status_page_id?: string;
}

export async function listSlaPolicies(db: Db, scope: PolicyScope, page: { limit: number; offset: number }) {
  const { owner_id, status_page_id = null } = scope;
  const assigned = sql`(SELECT policy_id FROM ${slaAssignments} WHERE status_page_id = ${status_page_id})`;
  const own = eq(slaPolicies.owner_id, owner_id);
  const mine = status_page_id === null ? own : or(own, sql`${slaPolicies.id} = ${assigned}`);
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(slaPolicies)
      .where(mine)
      .orderBy(asc(slaPolicies.created_at), asc(slaPolicies.id))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(slaPolicies).where(mine),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

export async function findAssignedPolicy(db: Db, pageId: string): Promise<SlaPolicyRecord | undefined> {
  const rows = await selectAssigned(db, pageId);
  return rows[0]?.policy;
}

/** The page's own target first, then those of monitors that are still on it. */
export function listSlaTargets(db: Db, pageId: string): Promise<SlaTargetRecord[]> {
  return selectTargets(db, pageId).then((rows) => rows.map(({ target }) => target));
}

/**
 * Everything that a report is made of, as of one moment, in one round trip. Choice: from intervals and not from daily
 * daily aggregates. Periods and maintenance cut days anywhere, and an outage may go on over midnight, so sums of days would not
 * be exact; reports are read seldom, and their intervals are bounded.
 */
export async function readSla(db: Db, pageId: string, range: { from_at: number; to_at: number }) {
  const [shown, intervals, targets, assigned] = await db.batch([
    db
      .select({
        id: monitors.id,
        name: monitors.name,
        group_id: monitors.group_id,
        parent_monitor_id: monitors.parent_monitor_id,
      })
      .from(monitors)
      .where(eq(monitors.status_page_id, pageId))
      .orderBy(asc(monitors.position), asc(monitors.id))
      .limit(MONITORS_MAX),
    selectIntervals(db, pageId, range),
    selectTargets(db, pageId),
    selectAssigned(db, pageId),
  ]);
  const intervalsOf = unpackIntervals(intervals);
  const taken = [...intervalsOf.values()].reduce((sum, { length }) => sum + length, 0);
  return {
    monitors: shown,
    intervalsOf,
    isTooLong: taken > SLA_INTERVALS_MAX,
    targets: targets.map(({ target }) => target),
    policy: assigned[0]?.policy,
  };
}

/** Occurrences of maintenance, public or private, that took place, once for each target monitor. */
export async function listMaintenanceSpans(db: Db, pageId: string, range: { from_at: number; to_at: number }) {
  const span = { from_at: maintenanceOccurrences.start_at, to_at: maintenanceOccurrences.end_at };
  const tookPlace = and(
    eq(maintenance.status_page_id, pageId),
    lt(maintenanceOccurrences.start_at, range.to_at),
    gt(maintenanceOccurrences.end_at, range.from_at),
  );
  const [byMonitor, byGroup] = await db.batch([
    db
      .select({ monitor_id: maintenanceMonitors.monitor_id, ...span })
      .from(maintenance)
      .innerJoin(maintenanceOccurrences, eq(maintenanceOccurrences.maintenance_id, maintenance.id))
      .innerJoin(maintenanceMonitors, eq(maintenanceMonitors.maintenance_id, maintenance.id))
      .where(tookPlace)
      .limit(SLA_INTERVALS_MAX),
    db
      .select({ monitor_id: monitors.id, ...span })
      .from(maintenance)
      .innerJoin(maintenanceOccurrences, eq(maintenanceOccurrences.maintenance_id, maintenance.id))
      .innerJoin(maintenanceGroups, eq(maintenanceGroups.maintenance_id, maintenance.id))
      .innerJoin(monitors, eq(monitors.group_id, maintenanceGroups.group_id))
      .where(tookPlace)
      .limit(SLA_INTERVALS_MAX),
  ]);
  return [...byMonitor, ...byGroup];
}

/** So many intervals of a monitor at most are packed into one text, which keeps each text small. */
const PACKED_MAX = 1_000;
type PackedInterval = [status: MonitorStatus, from_at: number, to_at: number | null, seq: number];

/** In the order of time. */
function unpackIntervals(packed: readonly { monitor_id: string; intervals: string }[]): Map<string, StatusInterval[]> {
  const byMonitor = Map.groupBy(packed, ({ monitor_id }) => monitor_id);
  return new Map(
    [...byMonitor].map(([monitor_id, parts]) => {
      const found = parts.flatMap(({ intervals }): PackedInterval[] => JSON.parse(intervals));
      found.sort((a, b) => a[1] - b[1] || a[3] - b[3]);
      return [monitor_id, found.map(([status, from_at, to_at]) => ({ status, from_at, to_at }))];
    }),
  );
}

/**
 * From the interval that holds the beginning on; one more than a report takes, so that its excess is seen. They are handed
 * over in a few texts: as rows of their own they would take four times as long.
 */
function selectIntervals(db: Db, pageId: string, { from_at, to_at }: { from_at: number; to_at: number }) {
  const earlier = sql`SELECT max(i.from_at) FROM ${statusIntervals} i WHERE i.monitor_id = ${monitors.id} AND i.from_at <= ${from_at}`;
  const found = db
    .select({
      monitor_id: statusIntervals.monitor_id,
      status: statusIntervals.status,
      from_at: statusIntervals.from_at,
      to_at: statusIntervals.to_at,
      seq: statusIntervals.seq,
    })
    .from(monitors)
    .innerJoin(statusIntervals, eq(statusIntervals.monitor_id, monitors.id))
    .where(
      and(
        eq(monitors.status_page_id, pageId),
        gte(statusIntervals.from_at, sql`coalesce((${earlier}), ${from_at})`),
        lt(statusIntervals.from_at, to_at),
      ),
    )
    .limit(SLA_INTERVALS_MAX + 1);
  return (
    db
      .select({
        monitor_id: sql<string>`i.monitor_id`.as("monitor_id"),
        intervals: sql<string>`json_group_array(json_array(i.status, i.from_at, i.to_at, i.seq))`.as("intervals"),
      })
      .from(sql`(${found}) AS i`)
      // Spelled out: a bound number is a fraction, by which each interval would be a group of its own.
      .groupBy(sql`i.monitor_id, i.seq / ${sql.raw(String(PACKED_MAX))}`)
  );
}

/** A monitor that left the page has no target on it any more. */
function selectTargets(db: Db, pageId: string) {
  return db
    .select({ target: slaTargets })
    .from(slaTargets)
    .leftJoin(monitors, eq(monitors.id, slaTargets.monitor_id))
    .where(
      and(
        eq(slaTargets.status_page_id, pageId),
        or(isNull(slaTargets.monitor_id), eq(monitors.status_page_id, pageId)),
      ),
    )
    .orderBy(sql`${slaTargets.monitor_id} IS NOT NULL`, asc(monitors.position), asc(slaTargets.monitor_id));
}

function selectAssigned(db: Db, pageId: string) {
  return db
    .select({ policy: slaPolicies })
    .from(slaAssignments)
    .innerJoin(slaPolicies, eq(slaPolicies.id, slaAssignments.policy_id))
    .where(eq(slaAssignments.status_page_id, pageId))
    .limit(1);
}
