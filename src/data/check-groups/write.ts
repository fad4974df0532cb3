import { and, eq, isNotNull, lt, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { checkGroups, monitors, type PackedResult, plannedMinutes, shards } from "../monitors/table.ts";
import { affectsPublicPage } from "../public-page/visible-monitors.ts";
import { statusPages } from "../status-pages/table.ts";
import { isCheckGroupLate } from "./read.ts";

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

export function saveReconcileCursor(db: Db, monitorId: string): Statement {
  const newest = sql`(SELECT max(minute_at) FROM ${plannedMinutes})`;
  return db.update(plannedMinutes).set({ visited_to: monitorId }).where(eq(plannedMinutes.minute_at, newest));
}

export function deletePlannedMinutesBefore(db: Db, instant: number): Statement {
  return db.delete(plannedMinutes).where(lt(plannedMinutes.minute_at, instant));
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

/** A group that nobody belongs to any more costs a message per interval. */
export function deleteEmptyCheckGroup(db: Db, groupId: string): Statement {
  return db
    .delete(checkGroups)
    .where(
      and(eq(checkGroups.id, groupId), sql`NOT EXISTS (SELECT 1 FROM monitors WHERE check_group_id = ${groupId})`),
    );
}

/** Takes (or, with -1, gives back) a place in a shard, which comes into being with its first member. */
export function changeShardSize(
  db: Db,
  shard: { id: string; interval: number; regions: string },
  places: 1 | -1,
): Statement {
  return db
    .insert(shards)
    .values({ ...shard, size: 1 })
    .onConflictDoUpdate({ target: shards.id, set: { size: sql`${shards.size} + ${places}` } });
}
