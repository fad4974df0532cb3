import { and, asc, eq, isNull, lt } from "drizzle-orm";
import type { Db } from "../db.ts";
import { events } from "./table.ts";

export type StoredEvent = typeof events.$inferSelect;

export async function findWaitingEvent(db: Db, eventId: string): Promise<StoredEvent | undefined> {
  const rows = await db
    .select()
    .from(events)
    .where(and(eq(events.id, eventId), isNull(events.processed_at)))
    .limit(1);
  return rows[0];
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
