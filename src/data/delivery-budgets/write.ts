import { and, eq, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import type { DeliveryRecord } from "../deliveries/read.ts";
import { WAKE_GRACE_MS } from "../outbox/rows.ts";
import { deliveries } from "../webhooks/table.ts";
import { deliveryBudgets } from "./table.ts";

/** Takes one delivery of this minute and gives how many are taken with it. */
export async function countDelivery(db: Db, ownerId: string, minuteAt: number): Promise<number> {
  const isSameMinute = sql`${deliveryBudgets.minute_at} = ${minuteAt}`;
  const [row] = await db
    .insert(deliveryBudgets)
    .values({ owner_id: ownerId, minute_at: minuteAt, taken: 1 })
    .onConflictDoUpdate({
      target: deliveryBudgets.owner_id,
      set: {
        taken: sql`CASE WHEN ${isSameMinute} THEN ${deliveryBudgets.taken} + 1 ELSE 1 END`,
        minute_at: minuteAt,
      },
    })
    .returning({ taken: deliveryBudgets.taken });
  return row?.taken ?? 0;
}

interface Postponed {
  owner_id: string;
  next_attempt_at: number;
  wake_at: number;
  now: number;
}

/** Gives a claimed delivery back without an attempt: it waits until its owner has budget again. */
export function throttleDelivery(
  db: Db,
  { id, attempt }: Pick<DeliveryRecord, "id" | "attempt">,
  { owner_id, next_attempt_at, wake_at, now }: Postponed,
): Statement[] {
  return [
    db
      .update(deliveries)
      .set({
        throttled_owner_id: owner_id,
        attempt: attempt - 1,
        ...{ next_attempt_at, wake_at, lease_until: 0, updated_at: now },
      })
      .where(and(eq(deliveries.id, id), eq(deliveries.attempt, attempt), eq(deliveries.state, "pending"))),
    db
      .update(deliveryBudgets)
      .set({ throttled_since: sql`coalesce(${deliveryBudgets.throttled_since}, ${now})` })
      .where(eq(deliveryBudgets.owner_id, owner_id)),
  ];
}

/** Makes the newest of an owner's waiting deliveries due, and gives their ids. */
export async function releaseDeliveries(
  db: Db,
  ownerId: string,
  { limit, now }: { limit: number; now: number },
): Promise<string[]> {
  const newest = sql`SELECT id FROM ${deliveries} WHERE throttled_owner_id = ${ownerId}
    ORDER BY created_at DESC, id DESC LIMIT ${limit}`;
  const rows = await db
    .update(deliveries)
    .set({ throttled_owner_id: null, next_attempt_at: now, wake_at: now + WAKE_GRACE_MS })
    .where(sql`${deliveries.id} IN (${newest})`)
    .returning({ id: deliveries.id, created_at: deliveries.created_at });
  return rows.sort((a, b) => b.created_at - a.created_at).map(({ id }) => id);
}

/** Where nothing of the owner waits any more. */
export function endThrottling(db: Db, ownerId: string): Statement {
  return db
    .update(deliveryBudgets)
    .set({ throttled_since: null })
    .where(
      and(
        eq(deliveryBudgets.owner_id, ownerId),
        sql`NOT EXISTS (SELECT 1 FROM ${deliveries} WHERE throttled_owner_id = ${ownerId})`,
      ),
    );
}

/** A delivery that is sent does not wait. */
export function clearThrottling(db: Db, deliveryId: string): Statement {
  return db.update(deliveries).set({ throttled_owner_id: null }).where(eq(deliveries.id, deliveryId));
}
