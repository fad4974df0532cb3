import { and, eq, isNotNull, lt, sql } from "drizzle-orm";
import { type CheckGroupKey, checkGroupId } from "../../domain/check-schedule.ts";
import type { Db, Statement } from "../db.ts";
import type { MonitorRecord } from "../monitors/read.ts";
import { checkGroups, monitors, type PackedResult, plannedMinutes, shards } from "../monitors/table.ts";
import { affectsPublicPage } from "../public-page/visible-monitors.ts";
import { statusPages } from "../status-pages/table.ts";
import { type CheckGroupState, GROUP_STATE, IS_RESTING, isCheckGroupLate } from "./read.ts";

export type NewCheckGroup = typeof checkGroups.$inferInsert;

/** Whether this caller is the one that plans the minute. */
export async function claimMinute(db: Db, minuteAt: number): Promise<boolean> {
  const rows = await db
    .insert(plannedMinutes)
    .values({ minute_at: minuteAt })
    .onConflictDoNothing()
    .returning({ minute_at: plannedMinutes.minute_at });
  return rows.length === 1;
}

export function deletePlannedMinutesBefore(db: Db, instant: number): Statement {
  return db.delete(plannedMinutes).where(lt(plannedMinutes.minute_at, instant));
}

interface Latest {
  fresh: readonly PackedResult[];
  /** Ids of the monitors whose former results are over, whether or not they have a fresh one here. */
  replaced: readonly string[];
  /** What the fresh results replace as a whole where it is still the same; null where others are kept. */
  known: readonly PackedResult[] | null;
  /** Older results are over, too. */
  kept_from: number;
}

export function recordSlot(
  db: Db,
  groupId: string,
  slotAt: number | null,
  { fresh, replaced, known, kept_from }: Latest,
): Statement {
  const added = JSON.stringify(fresh);
  // Merged where it is stored, because messages about members of one group may run at the same time. Where none did and
  // nothing is kept, the rows that merging reads are saved.
  const replaces = known === null ? sql`false` : sql`${checkGroups.latest} = ${JSON.stringify(known)}`;
  const latest = sql`CASE WHEN ${replaces} THEN ${added} ELSE (SELECT json_group_array(json(value)) FROM (
    SELECT old.value FROM json_each(${checkGroups.latest}) old WHERE old.value ->> 1 >= ${kept_from}
      AND old.value ->> 0 NOT IN (SELECT value FROM json_each(${JSON.stringify(replaced)}))
    UNION ALL SELECT value FROM json_each(${added}))) END`;
  return db
    .update(checkGroups)
    .set({
      latest,
      ...(slotAt === null ? {} : { last_slot_at: sql`max(coalesce(${checkGroups.last_slot_at}, 0), ${slotAt})` }),
    })
    .where(eq(checkGroups.id, groupId));
}

/** One of those, known as `m`, that we check. */
const isOurs = sql`${affectsPublicPage} AND m.agent_id IS NULL`;

/** Notes on the pages how far behind the checks of their monitors are; only where that has changed. */
export function markDelayedPages(db: Db, now: number, atLeastMs: number): Statement {
  const late = sql`FROM ${checkGroups} g JOIN ${monitors} m ON m.check_group_id = g.id
    WHERE ${isCheckGroupLate(now, atLeastMs)} AND ${isOurs} AND m.status_page_id`;
  const since = sql`(SELECT min(g.last_slot_at) ${late} = ${statusPages.id})`;
  return db
    .update(statusPages)
    .set({ checks_late_since: since })
    .where(
      sql`${statusPages.id} IN (SELECT m.status_page_id ${late} IS NOT NULL) AND ${statusPages.checks_late_since} IS NOT ${since}`,
    );
}

/** All pages but, at most, those whose monitors are late. */
export function clearDelayedPages(db: Db, now: number, atLeastMs: number): Statement {
  return db
    .update(statusPages)
    .set({ checks_late_since: null })
    .where(
      and(
        isNotNull(statusPages.checks_late_since),
        sql`NOT EXISTS (SELECT 1 FROM ${monitors} m JOIN ${checkGroups} g ON g.id = m.check_group_id
        WHERE m.status_page_id = ${statusPages.id} AND ${isOurs} AND ${isCheckGroupLate(now, atLeastMs)})`,
      ),
    );
}

/** Returns a row only where the group was not there before. */
export function insertCheckGroup(db: Db, group: NewCheckGroup): Statement {
  return db.insert(checkGroups).values(group).onConflictDoNothing().returning({ id: checkGroups.id });
}

/** Groups that rest have no slot, so that none of theirs is late when a member is checked again. */
export function restCheckGroups(db: Db, groupIds: readonly string[]): Statement {
  return db
    .update(checkGroups)
    .set({ last_slot_at: null })
    .where(and(sql`${checkGroups.id} IN (SELECT value FROM json_each(${JSON.stringify(groupIds)}))`, IS_RESTING));
}

/** A group without members costs a message per interval. */
export function deleteEmptyCheckGroup(db: Db, groupId: string): Statement {
  return db
    .delete(checkGroups)
    .where(
      and(eq(checkGroups.id, groupId), sql`NOT EXISTS (SELECT 1 FROM monitors WHERE check_group_id = ${groupId})`),
    );
}

/**
 * Puts a stored monitor into a shard of its interval and regions, and into the check group of that shard. Which shard has
 * room is decided where it is written, so that monitors created at the same time never overfill one and fill it densely.
 */
export function joinShard(
  db: Db,
  monitorId: string,
  { shard_id: newShardId, ...group }: Omit<CheckGroupKey, "shard_id"> & { shard_id: string },
  shardSize: number,
): Statement[] {
  const { interval, regions, lane } = group;
  const named = regions.join("+");
  const room = sql`(SELECT ${shards.id} FROM ${shards} WHERE ${shards.interval} = ${interval} AND ${shards.regions} = ${named}
    AND ${shards.size} < ${shardSize} ORDER BY ${shards.size} DESC LIMIT 1)`;
  const isThis = eq(monitors.id, monitorId);
  return [
    db.insert(shards).select(sql`SELECT ${newShardId}, ${interval}, ${named}, 0 WHERE ${room} IS NULL`),
    db
      .update(monitors)
      .set({ shard_id: room, check_group_id: sql`${room} || ${checkGroupId({ shard_id: "", ...group })}` })
      .where(isThis),
    db
      .insert(checkGroups)
      .select(
        sql`SELECT ${monitors.check_group_id}, ${monitors.shard_id}, ${interval}, ${JSON.stringify(regions)}, ${lane}, NULL, '[]'
        FROM ${monitors} WHERE ${isThis}`,
      )
      .onConflictDoNothing(),
    db
      .update(shards)
      .set({ size: sql`${shards.size} + 1` })
      .where(eq(shards.id, sql`(SELECT ${monitors.shard_id} FROM ${monitors} WHERE ${isThis})`)),
  ];
}

/** Counts the places that are taken in these shards. */
export function countPlaces(db: Db, shardIds: readonly string[]): Statement {
  return db
    .update(shards)
    .set({ size: sql`(SELECT count(*) FROM monitors WHERE monitors.shard_id = shards.id)` })
    .where(sql`${shards.id} IN (SELECT value FROM json_each(${JSON.stringify(shardIds)}))`);
}

/** Frees the place of a monitor in the shard that it leaves. */
export function leaveShard(db: Db, shardId: string): Statement {
  return db
    .update(shards)
    .set({ size: sql`${shards.size} - 1` })
    .where(eq(shards.id, shardId));
}

/**
 * Inserts the check groups that monitors name but that do not exist. Reads the names alone, by skipping through their
 * index, so the cost follows the number of groups and not of monitors.
 */
export function insertMissingCheckGroups(db: Db): Statement {
  const names = sql`WITH RECURSIVE named(id) AS (
    SELECT min(check_group_id) FROM ${monitors} WHERE check_group_id > ''
    UNION ALL SELECT (SELECT min(check_group_id) FROM ${monitors} WHERE check_group_id > named.id) FROM named WHERE named.id IS NOT NULL)`;
  return db
    .insert(checkGroups)
    .select(
      sql`${names} SELECT m.check_group_id, substr(m.check_group_id, 1, instr(m.check_group_id, '/') - 1), m.interval, m.regions,
      CASE WHEN m.check_group_id LIKE '%/slow' THEN 'slow' ELSE 'normal' END, NULL, '[]'
      FROM named JOIN ${monitors} m ON m.id = (SELECT min(id) FROM ${monitors} WHERE check_group_id = named.id)
      WHERE named.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${checkGroups} g WHERE g.id = named.id)`,
    )
    .onConflictDoNothing();
}

/** Read a monitor and its group at the end of a batch; `monitorOf` gives what they found. */
export function readMonitor(db: Db, monitorId: string): Statement[] {
  const monitor = db.select().from(monitors).where(eq(monitors.id, monitorId)).limit(1);
  const group = sql`(SELECT ${monitors.check_group_id} FROM ${monitors} WHERE ${monitors.id} = ${monitorId})`;
  const groups = db.select(GROUP_STATE).from(checkGroups).where(eq(checkGroups.id, group)).limit(1);
  return [monitor, groups];
}

export function monitorOf(results: readonly unknown[]) {
  // A batch answers in the order of its statements.
  const [[record], groups] = results.slice(-2) as [MonitorRecord[], CheckGroupState[]];
  return { record, groups };
}
