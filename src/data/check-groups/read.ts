import { and, asc, eq, gt, isNull, max, notInArray, type SQL, sql } from "drizzle-orm";
import { SLOT_GRACE_MS } from "../../domain/check-schedule.ts";
import { CHECK_SIZES } from "../../domain/free-plan.ts";
import type { Db } from "../db.ts";
import { PROJECTED } from "../monitors/read.ts";
import { checkGroups, monitors, plannedMinutes, shards } from "../monitors/table.ts";
import { wholeRowsOf } from "../whole-rows.ts";

export type CheckGroupRecord = typeof checkGroups.$inferSelect;

/**
 * At most this many monitors are checked by one message. Choice: most of what a check costs is paid by the message. With six
 * connections, healthy targets of 300 ms take it three seconds; where all hang for 10 s, they take it 100 s once, before the
 * slow lane has them.
 */
export const SHARD_SIZE = CHECK_SIZES.paid.shard;

export async function findLastPlannedMinute(db: Db): Promise<number | null> {
  const rows = await db.select({ last: max(plannedMinutes.minute_at) }).from(plannedMinutes);
  return rows[0]?.last ?? null;
}

/** Whether a group has members, all of which are paused. Of most groups the first member answers this. */
export const IS_RESTING = sql<number>`(NOT EXISTS (SELECT 1 FROM monitors
    WHERE monitors.check_group_id = check_groups.id AND monitors.paused = 0)
  AND EXISTS (SELECT 1 FROM monitors WHERE monitors.check_group_id = check_groups.id))`;

/** Groups in the order of their ids, for paging; without their packed results. */
export async function listCheckGroupsAfter(db: Db, groupId: string, limit: number) {
  return db
    .select({
      id: checkGroups.id,
      interval: checkGroups.interval,
      regions: checkGroups.regions,
      lane: checkGroups.lane,
      last_slot_at: checkGroups.last_slot_at,
      is_resting: IS_RESTING.as("is_resting"),
    })
    .from(checkGroups)
    .where(gt(checkGroups.id, groupId))
    .orderBy(asc(checkGroups.id))
    .limit(limit);
}
export type PlannedGroup = Awaited<ReturnType<typeof listCheckGroupsAfter>>[number];

/** In the order of their ids, for paging; those that hold monitors. */
export function listShardsAfter(db: Db, shardId: string, limit: number) {
  return db
    .select()
    .from(shards)
    .where(and(gt(shards.id, shardId), gt(shards.size, 0)))
    .orderBy(asc(shards.id))
    .limit(limit);
}

/** Groups of the slow lane with the number of their members, in the order of their ids, for paging. */
export function listSlowGroupsAfter(db: Db, groupId: string, limit: number) {
  return db
    .select({
      id: checkGroups.id,
      interval: checkGroups.interval,
      regions: checkGroups.regions,
      size: sql<number>`(SELECT count(*) FROM monitors WHERE monitors.check_group_id = check_groups.id)`,
    })
    .from(checkGroups)
    .where(and(sql`${checkGroups.lane} = 'slow'`, gt(checkGroups.id, groupId)))
    .orderBy(asc(checkGroups.id))
    .limit(limit);
}

/** Monitors that have their place in a shard, or are checked with a group, and the newest results of the group. */
export async function loadMembers(db: Db, of: { shard_id: string } | { group_id: string }, groupId: string) {
  const wanted = "shard_id" in of ? eq(monitors.shard_id, of.shard_id) : eq(monitors.check_group_id, of.group_id);
  const [members, groups] = await db.batch([
    db
      .select({ id: monitors.id, check_group_id: monitors.check_group_id })
      .from(monitors)
      .where(wanted)
      .limit(MEMBERS_PER_MESSAGE),
    db.select({ latest: checkGroups.latest }).from(checkGroups).where(eq(checkGroups.id, groupId)).limit(1),
  ]);
  return { members, latest: groups[0]?.latest ?? [] };
}

/** A group above SHARD_SIZE was filled by several writers at once; members beyond this many get a message of their own. */
export const MEMBERS_PER_MESSAGE = CHECK_SIZES.paid.message;

const MONITORS = wholeRowsOf(monitors);

/**
 * One round trip: the group's row and the members to be checked, among them none that an agent checks, without the first
 * `skip`. For one monitor alone it is the group that the monitor is in by now.
 */
export async function loadCheckGroup(
  db: Db,
  groupId: string,
  {
    monitor_id: monitorId,
    skip = 0,
    size = MEMBERS_PER_MESSAGE,
  }: { monitor_id?: string; skip?: number; size?: number } = {},
) {
  const isOne = monitorId !== undefined;
  const present = isOne ? sql`(SELECT check_group_id FROM monitors WHERE id = ${monitorId})` : groupId;
  const wanted = isOne ? eq(monitors.id, monitorId) : eq(monitors.check_group_id, groupId);
  const [groups, members] = await db.batch([
    db.select().from(checkGroups).where(eq(checkGroups.id, present)).limit(1),
    db
      .select(MONITORS.selected)
      .from(monitors)
      .where(and(wanted, eq(monitors.paused, false), isNull(monitors.agent_id)))
      .limit(size)
      .offset(skip),
  ]);
  return { group: groups[0], members: members.map(MONITORS.read) };
}

/** Monitors of these groups that show a status and are not checked by an agent. */
export function listMonitorsWithStatus(db: Db, groupIds: readonly string[]) {
  return db
    .select({
      ...PROJECTED,
      name: monitors.name,
      owner_id: monitors.owner_id,
      check_group_id: monitors.check_group_id,
    })
    .from(monitors)
    .where(hasStatusIn(groupIds))
    .limit(groupIds.length * MEMBERS_PER_MESSAGE);
}

/** Those of these groups that have such a monitor. */
export async function listGroupsWithStatus(db: Db, groupIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectDistinct({ id: monitors.check_group_id })
    .from(monitors)
    .where(hasStatusIn(groupIds))
    .limit(groupIds.length);
  return rows.map(({ id }) => id);
}

function hasStatusIn(groupIds: readonly string[]): SQL | undefined {
  return and(
    sql`${monitors.check_group_id} IN (SELECT value FROM json_each(${JSON.stringify(groupIds)}))`,
    eq(monitors.paused, false),
    isNull(monitors.agent_id),
    notInArray(monitors.status, ["unknown", "paused"]),
  );
}

export const GROUP_STATE = {
  id: checkGroups.id,
  interval: checkGroups.interval,
  last_slot_at: checkGroups.last_slot_at,
  latest: checkGroups.latest,
};
export type CheckGroupState = Pick<CheckGroupRecord, keyof typeof GROUP_STATE>;

/** How far these groups are, and what their newest checks found. */
export async function listCheckGroupStates(db: Db, groupIds: readonly string[]): Promise<CheckGroupState[]> {
  if (groupIds.length === 0) return [];
  return db
    .select(GROUP_STATE)
    .from(checkGroups)
    .where(sql`${checkGroups.id} IN (SELECT value FROM json_each(${JSON.stringify(groupIds)}))`);
}

/** The condition under which a group, known as `g`, is late; the same rule as domain/check-schedule.ts has for one group. */
export function isCheckGroupLate(now: number, atLeastMs: number): SQL {
  return sql`g.last_slot_at < ${now} - max(2000 * g.interval + ${SLOT_GRACE_MS}, ${atLeastMs})`;
}
