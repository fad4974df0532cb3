import { and, eq, getTableColumns, lt, lte, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import type { WebhookRecord } from "../webhooks/read.ts";
import { deliveries, deliveryAttempts, webhooks } from "../webhooks/table.ts";
import { type AttemptRecord, type DeliveryRecord, isPending } from "./read.ts";

/**
 * One statement for any number of deliveries, so that it can be part of any batch. Known ids are left alone, and a
 * webhook that was deleted meanwhile drops out instead of breaking the batch.
 */
export function insertDeliveries(db: Db, records: readonly DeliveryRecord[]): Statement {
  const members = Object.values(getTableColumns(deliveries)).map((column) => sql`record.value ->> ${column.name}`);
  return db
    .insert(deliveries)
    .select(
      // SQLite wants the WHERE to tell the join's ON from the insert's ON CONFLICT.
      sql`SELECT ${sql.join(members, sql`, `)} FROM json_each(${JSON.stringify(records)}) AS record
        JOIN ${webhooks} ON ${webhooks.id} = record.value ->> 'webhook_id' WHERE true`,
    )
    .onConflictDoNothing();
}

/** Takes a due delivery for one attempt; undefined when it is not due, done, gone, or taken by someone else. */
export async function claimDelivery(
  db: Db,
  deliveryId: string,
  { now, lease_until }: { now: number; lease_until: number },
): Promise<{ delivery: DeliveryRecord; webhook: WebhookRecord } | undefined> {
  const [claimed, owners] = await db.batch([
    db
      .update(deliveries)
      .set({ lease_until, attempt: sql`${deliveries.attempt} + 1`, updated_at: now })
      .where(
        and(
          eq(deliveries.id, deliveryId),
          isPending,
          lt(deliveries.lease_until, now),
          lte(deliveries.next_attempt_at, now),
        ),
      )
      .returning(),
    db
      .select()
      .from(webhooks)
      .where(eq(webhooks.id, sql`(SELECT webhook_id FROM deliveries WHERE id = ${deliveryId})`))
      .limit(1),
  ]);
  const [delivery, webhook] = [claimed[0], owners[0]];
  return delivery && webhook && { delivery, webhook };
}

/** Ends one attempt. Harmless when repeated: only the attempt that holds the claim may speak. */
export function settleDelivery(
  db: Db,
  claimed: Pick<DeliveryRecord, "id" | "attempt">,
  change: Pick<DeliveryRecord, "state" | "next_attempt_at" | "updated_at">,
): Statement {
  return db
    .update(deliveries)
    .set({ ...change, lease_until: 0 })
    .where(and(eq(deliveries.id, claimed.id), eq(deliveries.attempt, claimed.attempt), isPending));
}

/** Known attempts are left alone. */
export function insertAttempt(db: Db, attempt: AttemptRecord): Statement {
  return db.insert(deliveryAttempts).values(attempt).onConflictDoNothing();
}

/** Makes a delivery due again at once, whatever became of it. */
export function requeueDelivery(db: Db, deliveryId: string, now: number): Statement {
  return db
    .update(deliveries)
    .set({ state: "pending", next_attempt_at: now, lease_until: 0, updated_at: now })
    .where(eq(deliveries.id, deliveryId));
}

/** With their attempts, oldest first. */
export async function deleteDeliveriesBefore(db: Db, instant: number, limit: number): Promise<void> {
  const oldest = db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(lt(deliveries.created_at, instant))
    .orderBy(deliveries.created_at)
    .limit(limit);
  await db.delete(deliveries).where(sql`${deliveries.id} IN ${oldest}`);
}
