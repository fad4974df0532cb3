import { eq } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { calendarFeeds } from "../on-call/table.ts";
import type { CalendarFeedRecord } from "./read.ts";

/** Replaces the address that the feed had before, which ends at once. */
export function upsertCalendarFeed(db: Db, feed: CalendarFeedRecord): Statement {
  const { token_hash, updated_at } = feed;
  return db
    .insert(calendarFeeds)
    .values(feed)
    .onConflictDoUpdate({ target: calendarFeeds.id, set: { token_hash, updated_at } });
}

export function deleteCalendarFeed(db: Db, feedId: string): Statement {
  return db.delete(calendarFeeds).where(eq(calendarFeeds.id, feedId));
}
