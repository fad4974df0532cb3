import { and, desc, eq, getTableColumns, lt, lte, or, sql } from "drizzle-orm";
import type { Db, Statement } from "./db.ts";
import { deliveries, deliveryAttempts, webhooks } from "./webhooks.table.ts";
import type { WebhookRecord } from "./webhooks.ts";

export type DeliveryRecord = typeof deliveries.$inferSelect;
export type AttemptRecord = typeof deliveryAttempts.$inferSelect;

const COUNT_MAX = 10_000;

/** Spelled out, not bound: SQLite uses the partial index of due deliveries only for the very same condition. */
const isPending = sql`${deliveries.state} = 'pending'`;

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
export function reviveDelivery(db: Db, deliveryId: string, now: number): Statement {
  return db
    .update(deliveries)
    .set({ state: "pending", next_attempt_at: now, lease_until: 0, updated_at: now })
    .where(eq(deliveries.id, deliveryId));
}

/** True while an attempt is under way; for the guard of a batch. */
export function isLeased(deliveryId: string, now: number) {
  return sql`EXISTS (SELECT 1 FROM ${deliveries} WHERE id = ${deliveryId} AND state = 'pending' AND lease_until >= ${now})`;
}

/** By its own id or by the id of one of its attempts, since lists show both. */
export async function findDelivery(db: Db, webhookId: string, id: string): Promise<DeliveryRecord | undefined> {
  const rows = await db
    .select()
    .from(deliveries)
    .where(
      and(
        eq(deliveries.webhook_id, webhookId),
        or(eq(deliveries.id, id), eq(deliveries.id, sql`(SELECT delivery_id FROM delivery_attempts WHERE id = ${id})`)),
      ),
    )
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

export type ListedAttempt = AttemptRecord & Pick<DeliveryRecord, "event_name" | "state">;

/** Newest first. The total stops counting at 10,000. */
export async function listAttempts(
  db: Db,
  webhookId: string,
  page: { limit: number; offset: number },
): Promise<{ rows: ListedAttempt[]; total: number }> {
  const counted = db
    .select({ one: sql`1` })
    .from(deliveryAttempts)
    .where(eq(deliveryAttempts.webhook_id, webhookId))
    .limit(COUNT_MAX)
    .as("counted");
  const [rows, totals] = await db.batch([
    db
      .select({ attempt: deliveryAttempts, event_name: deliveries.event_name, state: deliveries.state })
      .from(deliveryAttempts)
      .innerJoin(deliveries, eq(deliveries.id, deliveryAttempts.delivery_id))
      .where(eq(deliveryAttempts.webhook_id, webhookId))
      .orderBy(desc(deliveryAttempts.created_at), desc(deliveryAttempts.attempt))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: sql<number>`count(*)` }).from(counted),
  ]);
  return {
    rows: rows.map(({ attempt, ...delivery }) => ({ ...attempt, ...delivery })),
    total: totals[0]?.total ?? 0,
  };
}

/** Ids of what should have been attempted by now and is not under way, longest overdue first. */
export async function listDueDeliveries(db: Db, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(and(isPending, lte(deliveries.next_attempt_at, now), lt(deliveries.lease_until, now)))
    .orderBy(deliveries.next_attempt_at)
    .limit(limit);
  return rows.map((row) => row.id);
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
