import { and, eq, isNull, sql } from "drizzle-orm";
import { type NewEvent, parseEvent } from "../../contract/events.ts";
import type { Db } from "../db.ts";
import { listToWake } from "../outbox/rows.ts";
import { events } from "./table.ts";

/** `processed_at` is null while the event waits for its consumer. */
export type StoredEvent = NewEvent & { processed_at: number | null };

export async function findWaitingEvent(db: Db, eventId: string): Promise<StoredEvent | undefined> {
  const rows = await db
    .select()
    .from(events)
    .where(and(eq(events.id, eventId), isNull(events.processed_at)))
    .limit(1);
  return rows[0] && toEvent(rows[0]);
}

export async function listEvents(db: Db, ids: readonly string[]): Promise<StoredEvent[]> {
  const rows = await db
    .select()
    .from(events)
    .where(sql`${events.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`)
    .limit(ids.length);
  return rows.map(toEvent);
}

export function toEvent({ wake_at: _, held_until: __, processed_at, ...row }: typeof events.$inferSelect): StoredEvent {
  return { ...parseEvent(row), processed_at };
}

export function listEventsToWake(db: Db, now: number, limit: number): Promise<string[]> {
  return listToWake(db, events, {
    isWaiting: sql`${events.processed_at} IS NULL`,
    dueAt: events.created_at,
    now,
    limit,
  });
}
