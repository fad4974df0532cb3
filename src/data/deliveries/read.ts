import { and, desc, eq, sql } from "drizzle-orm";
import type { Pagination, Position } from "../../contract/pagination.ts";
import type { DeliveryState } from "../../contract/webhook.ts";
import type { Db } from "../db.ts";
import { listEvents, type StoredEvent } from "../events/read.ts";
import { isOneOf } from "../filters.ts";
import { isBelow, skippedOf } from "../keyset.ts";
import { isPending, listToWake } from "../outbox/rows.ts";
import { deliveries, deliveryAttempts } from "../webhooks/table.ts";

export type DeliveryRecord = typeof deliveries.$inferSelect;
export type AttemptRecord = Omit<typeof deliveryAttempts.$inferSelect, "id" | "webhook_id">;

const COUNT_MAX = 10_000;

/** True while an attempt is under way; for the guard of a batch. */
export function isLeased(deliveryId: string, now: number) {
  return sql`EXISTS (SELECT 1 FROM ${deliveries} WHERE id = ${deliveryId} AND state = 'pending' AND lease_until >= ${now})`;
}

/** One of these ids. */
export async function findDelivery(
  db: Db,
  webhookId: string,
  ids: readonly string[],
): Promise<DeliveryRecord | undefined> {
  const isNamed = sql`${deliveries.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  const rows = await db
    .select()
    .from(deliveries)
    .where(and(eq(deliveries.webhook_id, webhookId), isNamed))
    .limit(1);
  return rows[0];
}

export async function findLastAttempt(db: Db, deliveryId: string): Promise<AttemptRecord | undefined> {
  const rows = await db
    .select()
    .from(deliveryAttempts)
    .where(eq(deliveryAttempts.delivery_id, deliveryId))
    .orderBy(desc(deliveryAttempts.attempt))
    .limit(1);
  return rows[0];
}

export type ListedAttempt = AttemptRecord &
  Pick<DeliveryRecord, "webhook_id" | "event_name" | "state"> & {
    event: StoredEvent | undefined;
    /** Where a list goes on after it. */
    position: Position;
  };

/** Attempts of one delivery are together, the newest first. */
const PLACE = sql<string>`${deliveryAttempts.delivery_id} || printf('/%05d', ${deliveryAttempts.attempt})`;

/** Those of the newest delivery first. The total stops counting at 10,000. */
export async function listAttempts(
  db: Db,
  webhookId: string,
  page: Pagination,
  filter: { state?: DeliveryState[]; event?: string[] } = {},
): Promise<{ rows: ListedAttempt[]; total: number }> {
  const wanted = and(
    eq(deliveries.webhook_id, webhookId),
    isOneOf(deliveries.state, filter.state),
    isOneOf(deliveries.event_name, filter.event),
  );
  const isOf = eq(deliveries.id, deliveryAttempts.delivery_id);
  const counted = db
    .select({ one: sql`1` })
    .from(deliveries)
    .innerJoin(deliveryAttempts, isOf)
    .where(wanted)
    .limit(COUNT_MAX)
    .as("counted");
  const [rows, totals] = await db.batch([
    selectAttempts(db)
      .where(and(wanted, isBelow(page, deliveries.created_at, PLACE)))
      .orderBy(desc(deliveries.created_at), desc(PLACE))
      .limit(page.limit)
      .offset(skippedOf(page)),
    db.select({ total: sql<number>`count(*)` }).from(counted),
  ]);
  return { rows: await withEvents(db, rows), total: totals[0]?.total ?? 0 };
}

/** The newest of all these webhooks together, of each of which an index gives its own newest. */
export async function listNewestAttempts(
  db: Db,
  webhookIds: readonly string[],
  limit: number,
): Promise<ListedAttempt[]> {
  const newest = sql`SELECT d.id FROM json_each(${JSON.stringify(webhookIds)}) AS w, ${deliveries} AS d
    WHERE d.id IN (SELECT id FROM ${deliveries} WHERE webhook_id = w.value ORDER BY created_at DESC LIMIT ${limit})`;
  const [rows] = await db.batch([
    selectAttempts(db)
      .where(sql`${deliveries.id} IN (${newest})`)
      .orderBy(desc(deliveries.created_at), desc(PLACE))
      .limit(limit),
  ]);
  return withEvents(db, rows);
}

function selectAttempts(db: Db) {
  return db
    .select({
      attempt: deliveryAttempts,
      event_name: deliveries.event_name,
      state: deliveries.state,
      event_id: deliveries.event_id,
      // A batch keeps one of two columns of the same name.
      routed_at: sql<number>`${deliveries.created_at}`.as("routed_at"),
      routed_to: sql<string>`${deliveries.webhook_id}`.as("routed_to"),
      place: PLACE.as("place"),
    })
    .from(deliveries)
    .innerJoin(deliveryAttempts, eq(deliveries.id, deliveryAttempts.delivery_id))
    .$dynamic();
}

async function withEvents(
  db: Db,
  rows: readonly Awaited<ReturnType<typeof selectAttempts>>[number][],
): Promise<ListedAttempt[]> {
  const eventIds = new Set(rows.map(({ event_id }) => event_id));
  const stored = eventIds.size === 0 ? [] : await listEvents(db, [...eventIds]);
  const eventOf = new Map(stored.map((event) => [event.id, event]));
  return rows.map(({ attempt, event_id, routed_at, routed_to: webhook_id, place, ...delivery }) => {
    return { ...attempt, ...delivery, webhook_id, event: eventOf.get(event_id), position: [routed_at, place] };
  });
}

export function listDeliveriesToWake(db: Db, now: number, limit: number): Promise<string[]> {
  return listToWake(db, deliveries, {
    wakeAt: deliveries.wake_at,
    isWaiting: isPending(deliveries),
    dueAt: deliveries.next_attempt_at,
    now,
    limit,
  });
}
