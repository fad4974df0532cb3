import { and, asc, count, eq, gt, gte, isNull, lt, or, sql } from "drizzle-orm";
import type { Membership } from "../../domain/roles.ts";
import { DAY_MS } from "../../lib/durations.ts";
import type { Db } from "../db.ts";
import { selectCoverage } from "../maintenance/time.ts";
import { pageMembers } from "../members/table.ts";
import { monitors, statusIntervals } from "../monitors/table.ts";
import { statusPages } from "../status-pages/table.ts";
import { PACKED_MAX, PACKED_STATUS, packHistory, unpackIntervals } from "./packed-intervals.ts";
import { monitorStays, slaAssignments, slaFormerValues, slaPolicies, slaTargets } from "./table.ts";

export type SlaPolicyRecord = typeof slaPolicies.$inferSelect;
export type SlaTargetRecord = typeof slaTargets.$inferSelect;

const MONITORS_MAX = 5000;
const MEMBERSHIPS_MAX = 100;
const FORMER_MAX = 5000;
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
 * aggregates. Periods and maintenance cut days anywhere, and an outage may go on over midnight, so sums of days would not
 * be exact; reports are read seldom, and their intervals are bounded.
 */
export async function readSla(db: Db, pageId: string, range: { from_at: number; to_at: number; now: number }) {
  const [present, left, targets, assigned, coverage, former] = await db.batch([
    selectMonitors(db, pageId, range),
    selectStays(db, pageId, range),
    selectTargets(db, pageId),
    selectAssigned(db, pageId),
    selectCoverage(db, sql`(${pageId})`, { since: range.from_at, now: range.to_at }),
    selectFormer(db, pageId, range.to_at),
  ]);
  const unpack = (intervals: string | null, base: number) =>
    intervals === null ? [] : unpackIntervals(intervals, base);
  const shown = present.map(({ intervals, ...monitor }) => {
    return { ...monitor, intervals: unpack(intervals, range.from_at) };
  });
  return {
    monitors: shown,
    stays: left.map(({ intervals, ...stay }) => ({ ...stay, intervals: unpack(intervals, 0).reverse() })),
    isTooLong:
      present.some(({ intervals }) => intervals === null) ||
      shown.some(({ intervals }) => intervals.length > PACKED_MAX),
    targets: targets.map(({ target }) => target),
    policy: assigned[0]?.policy,
    coverage,
    former,
  };
}

/** Monitors that have left the page since, as far as they were on it in the range. */
function selectStays(db: Db, pageId: string, range: { from_at: number; to_at: number }) {
  const { status_page_id, monitor_id, from_at, to_at, name, is_member, position, target_percentage } = monitorStays;
  return db
    .select({
      monitor_id,
      from_at,
      to_at,
      name,
      is_member,
      position,
      target_percentage,
      intervals: sql<string | null>`coalesce(${monitorStays.intervals}, ${packHistory(sql`${monitor_id}`)})`.as(
        "intervals",
      ),
    })
    .from(monitorStays)
    .where(and(eq(status_page_id, pageId), gt(to_at, range.from_at), lt(from_at, range.to_at)))
    .orderBy(asc(monitor_id), asc(from_at))
    .limit(MONITORS_MAX);
}

/** The terms of a period may be corrected for so long after its end. */
const TERMS_SETTLE_MS = DAY_MS;

/** What people changed after that moment, the first change first. */
function selectFormer(db: Db, pageId: string, since: number) {
  const { status_page_id, kind, monitor_id, until_at, value } = slaFormerValues;
  const isSettled = or(eq(kind, "name"), gte(until_at, since + TERMS_SETTLE_MS));
  return db
    .select({ kind, monitor_id, value })
    .from(slaFormerValues)
    .where(and(eq(status_page_id, pageId), gte(until_at, since), isSettled))
    .orderBy(asc(until_at))
    .limit(FORMER_MAX);
}

/**
 * The monitors of a page in their order, each with its intervals from the one that holds the beginning on. They are handed
 * over as one text of numbers a monitor, without a sort of them all: as rows they would take ten times as long. There is
 * no text where all together are more than a report takes, and one more interval than a text holds, so that excess is seen.
 */
function selectMonitors(db: Db, pageId: string, range: { from_at: number; to_at: number }) {
  // Spelled out: bound numbers are fractions, and so would be what is computed with them.
  const [from, to] = [sql.raw(String(Math.trunc(range.from_at))), sql.raw(String(Math.trunc(range.to_at)))];
  const earlier = sql`SELECT max(e.from_at) FROM ${statusIntervals} e WHERE e.monitor_id = m.id AND e.from_at <= ${from}`;
  const within = sql`i.monitor_id = m.id AND i.from_at >= coalesce((${earlier}), ${from}) AND i.from_at < ${to}`;
  const taken = sql`SELECT count(*) FROM (SELECT 1 FROM ${monitors} m JOIN ${statusIntervals} i ON ${within}
    WHERE m.status_page_id = ${pageId} LIMIT ${SLA_INTERVALS_MAX + 1})`;
  const numbers = sql`${PACKED_STATUS} || ',' || (i.from_at - ${from}) || ',' || coalesce(i.to_at - i.from_at, 'null')`;
  const packed = sql`SELECT '[' || coalesce(group_concat(n), '') || ']' FROM (SELECT ${numbers} AS n FROM ${statusIntervals} i
    WHERE ${within} ORDER BY i.from_at, i.seq LIMIT ${PACKED_MAX + 1})`;
  return db
    .select({
      id: sql<string>`m.id`.as("id"),
      name: sql<string>`m.name`.as("name"),
      status_page_id: sql<string>`m.status_page_id`.as("status_page_id"),
      page_since: sql<number | null>`m.page_since`.as("page_since"),
      created_at: sql<number>`m.created_at`.as("created_at"),
      position: sql<number>`m.position`.as("position"),
      group_id: sql<string | null>`m.group_id`.as("group_id"),
      parent_monitor_id: sql<string | null>`m.parent_monitor_id`.as("parent_monitor_id"),
      intervals: sql<string | null>`CASE WHEN (${taken}) <= ${SLA_INTERVALS_MAX} THEN (${packed}) END`.as("intervals"),
    })
    .from(sql`${monitors} AS m`)
    .where(sql`m.status_page_id = ${pageId}`)
    .orderBy(sql`m.position`, sql`m.id`)
    .limit(MONITORS_MAX);
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
