import { and, asc, desc, eq, gt, isNotNull, isNull, lt, max, notInArray, type SQL, sql } from "drizzle-orm";
import { SLOT_GRACE_MS } from "../domain/schedule.ts";
import type { Db, Statement } from "./db.ts";
import { checkGroups, monitors, type PackedResult, plannedMinutes, shards } from "./monitors.table.ts";
import { shapesPage } from "./shown-monitors.ts";
import { statusPages } from "./status-pages.table.ts";

export type CheckGroupRecord = typeof checkGroups.$inferSelect;
export type NewCheckGroup = typeof checkGroups.$inferInsert;

/** At most this many monitors are checked by one message: 6 connections × 60 s / 10 s. */
export const SHARD_SIZE = 30;

export async function findLastPlannedMinute(db: Db): Promise<number | null> {
  const rows = await db.select({ last: max(plannedMinutes.minute_at) }).from(plannedMinutes);
  return rows[0]?.last ?? null;
}

/** Whether this caller is the one that plans the minute. */
export async function claimMinute(db: Db, minuteAt: number): Promise<boolean> {
  const rows = await db
    .insert(plannedMinutes)
    .values({ minute_at: minuteAt })
    .onConflictDoNothing()
    .returning({ minute_at: plannedMinutes.minute_at });
  return rows.length === 1;
}

/** Up to which id the monitors that nobody checks have been visited. */
export async function findVisitedTo(db: Db): Promise<string> {
  const rows = await db
    .select({ visited_to: plannedMinutes.visited_to })
    .from(plannedMinutes)
    .where(isNotNull(plannedMinutes.visited_to))
    .orderBy(desc(plannedMinutes.minute_at))
    .limit(1);
  return rows[0]?.visited_to ?? "";
}

export function setVisitedTo(db: Db, monitorId: string): Statement {
  const newest = sql`(SELECT max(minute_at) FROM ${plannedMinutes})`;
  return db.update(plannedMinutes).set({ visited_to: monitorId }).where(eq(plannedMinutes.minute_at, newest));
}

export function deletePlannedMinutesBefore(db: Db, instant: number): Statement {
  return db.delete(plannedMinutes).where(lt(plannedMinutes.minute_at, instant));
}

/** Groups in the order of their ids, for paging; without their packed results. */
export async function listGroupsAfter(db: Db, groupId: string, limit: number) {
  return db
    .select({
      id: checkGroups.id,
      interval: checkGroups.interval,
      regions: checkGroups.regions,
      lane: checkGroups.lane,
      last_slot_at: checkGroups.last_slot_at,
    })
    .from(checkGroups)
    .where(gt(checkGroups.id, groupId))
    .orderBy(asc(checkGroups.id))
    .limit(limit);
}
export type PlannedGroup = Awaited<ReturnType<typeof listGroupsAfter>>[number];

/**
 * One round trip: the group's row and the members that are to be checked, among them none that an agent checks. For one
 * monitor alone it is the group that the monitor is in by now.
 */
export async function loadGroup(db: Db, groupId: string, monitorId?: string) {
  const isOne = monitorId !== undefined;
  const present = isOne ? sql`(SELECT check_group_id FROM monitors WHERE id = ${monitorId})` : groupId;
  const wanted = isOne ? eq(monitors.id, monitorId) : eq(monitors.check_group_id, groupId);
  const [groups, members] = await db.batch([
    db.select().from(checkGroups).where(eq(checkGroups.id, present)).limit(1),
    db
      .select()
      .from(monitors)
      .where(and(wanted, eq(monitors.paused, false), isNull(monitors.agent_id)))
      .limit(2 * SHARD_SIZE),
  ]);
  return { group: groups[0], members };
}

/** Members of a group whose status still claims to know something. */
export async function listKnowingMembers(db: Db, groupId: string) {
  return db
    .select({
      id: monitors.id,
      status_page_id: monitors.status_page_id,
      config_version: monitors.config_version,
      synced_version: monitors.synced_version,
      state_seq: monitors.state_seq,
      settled: monitors.settled,
    })
    .from(monitors)
    .where(
      and(
        eq(monitors.check_group_id, groupId),
        eq(monitors.paused, false),
        isNull(monitors.agent_id),
        notInArray(monitors.status, ["unknown", "paused"]),
      ),
    )
    .limit(2 * SHARD_SIZE);
}

interface Latest {
  fresh: readonly PackedResult[];
  /** Ids of the monitors whose former results are over, whether or not they have a fresh one here. */
  replaced: readonly string[];
  known: readonly PackedResult[];
  /** Older results are over, too. */
  kept_from: number;
}

export function recordSlot(
  db: Db,
  groupId: string,
  slotAt: number | null,
  { fresh, replaced, known, kept_from }: Latest,
): Statement {
  const news = JSON.stringify(fresh);
  // Merged where it is stored, because messages about members of one group may run at the same time. Where none did and
  // nothing is kept, the rows that merging reads are saved.
  const replaces = kept_from === 0 ? sql`false` : sql`${checkGroups.latest} = ${JSON.stringify(known)}`;
  const latest = sql`CASE WHEN ${replaces} THEN ${news} ELSE (SELECT json_group_array(json(value)) FROM (
    SELECT old.value FROM json_each(${checkGroups.latest}) old WHERE old.value ->> 1 >= ${kept_from}
      AND old.value ->> 0 NOT IN (SELECT value FROM json_each(${JSON.stringify(replaced)}))
    UNION ALL SELECT value FROM json_each(${news}))) END`;
  return db
    .update(checkGroups)
    .set({
      latest,
      ...(slotAt === null ? {} : { last_slot_at: sql`max(coalesce(${checkGroups.last_slot_at}, 0), ${slotAt})` }),
    })
    .where(eq(checkGroups.id, groupId));
}

export async function listLatest(db: Db, groupIds: readonly string[]): Promise<PackedResult[]> {
  return (await listRuns(db, groupIds)).flatMap(({ latest }) => latest);
}

/** How far these groups are, and what their newest checks found. */
export async function listRuns(db: Db, groupIds: readonly string[]) {
  if (groupIds.length === 0) return [];
  return db
    .select({ id: checkGroups.id, last_slot_at: checkGroups.last_slot_at, latest: checkGroups.latest })
    .from(checkGroups)
    .where(sql`${checkGroups.id} IN (SELECT value FROM json_each(${JSON.stringify(groupIds)}))`);
}

/** The condition under which a group, known as `g`, is late; the same rule as domain/schedule.ts has for one group. */
export function isGroupLate(now: number, atLeastMs: number): SQL {
  return sql`g.last_slot_at < ${now} - max(2000 * g.interval + ${SLOT_GRACE_MS}, ${atLeastMs})`;
}

/** One of those, known as `m`, that we check. */
const isOurs = sql`${shapesPage} AND m.agent_id IS NULL`;

/** Notes on the pages how far behind the checks of their monitors are; only where that has changed. */
export function noteLatePages(db: Db, now: number, atLeastMs: number): Statement {
  const late = sql`FROM ${checkGroups} g JOIN ${monitors} m ON m.check_group_id = g.id
    WHERE ${isGroupLate(now, atLeastMs)} AND ${isOurs} AND m.status_page_id`;
  const since = sql`(SELECT min(g.last_slot_at) ${late} = ${statusPages.id})`;
  return db
    .update(statusPages)
    .set({ checks_late_since: since })
    .where(
      sql`${statusPages.id} IN (SELECT m.status_page_id ${late} IS NOT NULL) AND ${statusPages.checks_late_since} IS NOT ${since}`,
    );
}

/** All pages but, at most, those whose monitors are late. */
export function clearLatePages(db: Db, now: number, atLeastMs: number): Statement {
  return db
    .update(statusPages)
    .set({ checks_late_since: null })
    .where(
      and(
        isNotNull(statusPages.checks_late_since),
        sql`NOT EXISTS (SELECT 1 FROM ${monitors} m JOIN ${checkGroups} g ON g.id = m.check_group_id
        WHERE m.status_page_id = ${statusPages.id} AND ${isOurs} AND ${isGroupLate(now, atLeastMs)})`,
      ),
    );
}

/** Returns a row only where the group was not there before. */
export function insertGroup(db: Db, group: NewCheckGroup): Statement {
  return db.insert(checkGroups).values(group).onConflictDoNothing().returning({ id: checkGroups.id });
}

/** A group that nobody belongs to any more costs a message per interval. */
export function deleteEmptyGroup(db: Db, groupId: string): Statement {
  return db
    .delete(checkGroups)
    .where(
      and(eq(checkGroups.id, groupId), sql`NOT EXISTS (SELECT 1 FROM monitors WHERE check_group_id = ${groupId})`),
    );
}

/** A shard of this interval and these regions that has room. */
export async function findShardWithRoom(db: Db, interval: number, regions: string): Promise<string | undefined> {
  const rows = await db
    .select({ id: shards.id })
    .from(shards)
    .where(and(eq(shards.interval, interval), eq(shards.regions, regions), lt(shards.size, SHARD_SIZE)))
    .limit(1);
  return rows[0]?.id;
}

/** Takes (or, with -1, gives back) a place in a shard, which comes into being with its first member. */
export function takePlace(db: Db, shard: { id: string; interval: number; regions: string }, places: 1 | -1): Statement {
  return db
    .insert(shards)
    .values({ ...shard, size: 1 })
    .onConflictDoUpdate({ target: shards.id, set: { size: sql`${shards.size} + ${places}` } });
}
