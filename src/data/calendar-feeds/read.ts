import { and, asc, eq, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { pageMembers } from "../members/table.ts";
import { calendarFeeds, onCallSchedules } from "../on-call/table.ts";
import { statusPages } from "../status-pages/table.ts";
import { users } from "../users/table.ts";

export type CalendarFeedRecord = typeof calendarFeeds.$inferSelect;

const SCHEDULES_MAX = 200;
const TEAM_MAX = 1000;

export async function findCalendarFeed(db: Db, tokenHash: string): Promise<CalendarFeedRecord | undefined> {
  const rows = await db.select().from(calendarFeeds).where(eq(calendarFeeds.token_hash, tokenHash)).limit(1);
  return rows[0];
}

/** Active schedules of pages on which the user is in the team: all of them, or this one. */
export async function listSchedulesOfUser(db: Db, userId: string, scheduleId: string | null) {
  const isOne = scheduleId === null ? undefined : eq(onCallSchedules.id, scheduleId);
  const pages = sql`SELECT status_page_id FROM ${pageMembers} WHERE user_id = ${userId}
    UNION SELECT id FROM ${statusPages} WHERE owner_id = ${userId}`;
  return db
    .select({ schedule: onCallSchedules, page_name: statusPages.name })
    .from(onCallSchedules)
    .innerJoin(statusPages, eq(statusPages.id, onCallSchedules.status_page_id))
    .where(and(sql`${onCallSchedules.status_page_id} IN (${pages})`, eq(onCallSchedules.is_active, true), isOne))
    .orderBy(asc(onCallSchedules.name), asc(onCallSchedules.id))
    .limit(SCHEDULES_MAX);
}

/** Names of the owner and the members of a page. */
export async function listTeamNames(db: Db, pageId: string): Promise<Map<string, string>> {
  const team = sql`SELECT user_id FROM ${pageMembers} WHERE status_page_id = ${pageId}
    UNION SELECT owner_id FROM ${statusPages} WHERE id = ${pageId}`;
  const rows = await db
    .select({ id: users.id, name: users.name })
    .from(users)
    .where(sql`${users.id} IN (${team})`)
    .limit(TEAM_MAX);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
