import { and, eq, getTableColumns, lt, sql } from "drizzle-orm";
import type { Plan } from "../../contract/plan.ts";
import type { Db, Statement } from "../db.ts";
import { type StoredEvent, toEvent } from "../events/read.ts";
import { events } from "../events/table.ts";
import { claim, settle, WAKE_GRACE_MS } from "../outbox/rows.ts";
import { users } from "../users/table.ts";
import type { WebhookRecord } from "../webhooks/read.ts";
import { deliveries, deliveryAttempts, webhooks } from "../webhooks/table.ts";
import type { AttemptRecord, DeliveryRecord } from "./read.ts";

/**
 * One statement for any number of deliveries, so that it can be part of any batch. Known ids are left alone, and a
 * webhook that was deleted meanwhile drops out instead of breaking the batch.
 */
export function insertDeliveries(db: Db, records: readonly DeliveryRecord[]): Statement {
  const members = Object.values(getTableColumns(deliveries)).map((column) => sql`record.value ->> ${column.name}`);
  return db
    .insert(deliveries)
    .select(
      // SQLite needs the WHERE to distinguish the join's ON from the insert's ON CONFLICT.
      sql`SELECT ${sql.join(members, sql`, `)} FROM json_each(${JSON.stringify(records)}) AS record
        JOIN ${webhooks} ON ${webhooks.id} = record.value ->> 'webhook_id' WHERE true`,
    )
    .onConflictDoNothing();
}

export interface ClaimedDelivery {
  delivery: DeliveryRecord;
  webhook: WebhookRecord;
  event: StoredEvent | undefined;
  /** null = the operator's default plan. */
  owner_plan: Plan | null;
}

/** Claims a due delivery for one attempt, with its webhook and event; undefined where it is not due, done, gone or claimed. */
export async function claimDelivery(
  db: Db,
  deliveryId: string,
  lease: { now: number; lease_until: number },
): Promise<ClaimedDelivery | undefined> {
  const ofDelivery = (column: "webhook_id" | "event_id") =>
    sql`(SELECT ${deliveries[column]} FROM ${deliveries} WHERE ${deliveries.id} = ${deliveryId})`;
  const [claimed, [webhook], [event], [owner]] = await db.batch([
    claim(db, deliveries, deliveryId, lease),
    db
      .select()
      .from(webhooks)
      .where(eq(webhooks.id, ofDelivery("webhook_id")))
      .limit(1),
    db
      .select()
      .from(events)
      .where(eq(events.id, ofDelivery("event_id")))
      .limit(1),
    db
      .select({ plan: users.plan })
      .from(users)
      .where(
        eq(
          users.id,
          sql`(SELECT ${webhooks.owner_id} FROM ${webhooks} WHERE ${webhooks.id} = ${ofDelivery("webhook_id")})`,
        ),
      )
      .limit(1),
  ]);
  const [delivery] = claimed;
  if (!delivery || !webhook) return undefined;
  return { delivery, webhook, event: event && toEvent(event), owner_plan: owner?.plan ?? null };
}

/** Gives a claimed delivery back without an attempt. */
export function unclaimDelivery(db: Db, { id, attempt }: Pick<DeliveryRecord, "id" | "attempt">): Statement {
  return db
    .update(deliveries)
    .set({ attempt: attempt - 1, lease_until: 0 })
    .where(and(eq(deliveries.id, id), eq(deliveries.attempt, attempt), eq(deliveries.state, "pending")));
}

/** Ends one attempt. Harmless when repeated: only the attempt that holds the claim changes the row. */
export function settleDelivery(
  db: Db,
  claimed: Pick<DeliveryRecord, "id" | "attempt">,
  change: Pick<DeliveryRecord, "state" | "next_attempt_at" | "updated_at">,
): Statement {
  return settle(db, deliveries, claimed, change);
}

/** Known attempts are left alone. */
export function insertAttempt(db: Db, attempt: AttemptRecord): Statement {
  return db.insert(deliveryAttempts).values(attempt).onConflictDoNothing();
}

/** Makes a delivery due again at once, whatever became of it. */
export function requeueDelivery(db: Db, deliveryId: string, now: number): Statement {
  return db
    .update(deliveries)
    .set({ state: "pending", next_attempt_at: now, lease_until: 0, wake_at: now + WAKE_GRACE_MS, updated_at: now })
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
