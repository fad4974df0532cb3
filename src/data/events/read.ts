import { and, asc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { MeasuredCheck } from "../../contract/check.ts";
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
  const { rules_wake_at: _rules_wake_at, rules_check: _rules_check, ended_ids: _ended_ids, ...event } = row;
  return { ...parseEvent(event), processed_at };
}

/** An event on which rules wait that had no room in the turns before. */
export interface EventOfWaitingRules {
  event: StoredEvent;
  check: MeasuredCheck | undefined;
}

export async function findEventOfWaitingRules(db: Db, eventId: string): Promise<EventOfWaitingRules | undefined> {
  const [row] = await db
    .select()
    .from(events)
    .where(and(eq(events.id, eventId), isNotNull(events.rules_wake_at)))
    .limit(1);
  return row && { event: toEvent(row), check: row.rules_check ? MeasuredCheck.parse(row.rules_check) : undefined };
}

export function listWaitingRulesToWake(db: Db, now: number, limit: number): Promise<string[]> {
  return listToWake(db, events, {
    wakeAt: events.rules_wake_at,
    isWaiting: sql`${events.rules_wake_at} IS NOT NULL`,
    dueAt: events.created_at,
    now,
    limit,
  });
}

export function listEventsToWake(db: Db, now: number, limit: number): Promise<string[]> {
  return listToWake(db, events, {
    wakeAt: events.wake_at,
    isWaiting: sql`${events.processed_at} IS NULL`,
    dueAt: events.created_at,
    now,
    limit,
  });
}

/** The service's own events are a few hundred bytes; what is larger carries texts of people. */
const OWN_BYTES_MAX = 2_000;
const BYTES = sql<number>`octet_length(${events.data})`;
const hasTexts = (ownerId: string) => and(eq(events.owner_id, ownerId), sql`${BYTES} > ${OWN_BYTES_MAX}`);

/** Bytes of an account's events that carry texts of people. Reads all of its events. */
export async function measureTextEvents(db: Db, ownerId: string): Promise<number> {
  const rows = await db
    .select({ bytes: sql<number>`coalesce(sum(${BYTES}), 0)` })
    .from(events)
    .where(hasTexts(ownerId));
  return rows[0]?.bytes ?? 0;
}

/** The oldest of them that have been processed. */
export function listOldestTextEvents(db: Db, ownerId: string, limit: number) {
  return db
    .select({ id: events.id, bytes: BYTES })
    .from(events)
    .where(and(hasTexts(ownerId), isNotNull(events.processed_at)))
    .orderBy(asc(events.created_at))
    .limit(limit);
}
