import { and, asc, eq, isNull, lt } from "drizzle-orm";
import type { Db, Statement } from "./db.ts";
import { events } from "./events.table.ts";

export type StoredEvent = typeof events.$inferSelect;

/** An event is known by its id: telling of it twice stores it once. */
export function insertEvent(db: Db, event: StoredEvent): Statement {
  return db.insert(events).values(event).onConflictDoNothing();
}

export async function findWaitingEvent(db: Db, eventId: string): Promise<StoredEvent | undefined> {
  const rows = await db
    .select()
    .from(events)
    .where(and(eq(events.id, eventId), isNull(events.processed_at)))
    .limit(1);
  return rows[0];
}

export function markProcessed(db: Db, eventId: string, now: number): Statement {
  return db.update(events).set({ processed_at: now }).where(eq(events.id, eventId));
}

export async function listWaitingEvents(db: Db, createdBefore: number, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: events.id })
    .from(events)
    .where(and(isNull(events.processed_at), lt(events.created_at, createdBefore)))
    .orderBy(asc(events.created_at))
    .limit(limit);
  return rows.map((row) => row.id);
}
