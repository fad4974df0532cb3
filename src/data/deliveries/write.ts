import { and, eq, getTableColumns, lt, type SQL, sql } from "drizzle-orm";
import type { Plan } from "../../contract/plan.ts";
import type { Db, Statement } from "../db.ts";
import { type KeptBytes, keptMax } from "../delivery-budgets/read.ts";
import { deliveryBudgets } from "../delivery-budgets/table.ts";
import { type StoredEvent, toEvent } from "../events/read.ts";
import { events } from "../events/table.ts";
import { monitors } from "../monitors/table.ts";
import { claimAll, isAmong, isPending, WAKE_GRACE_MS } from "../outbox/rows.ts";
import { statusPages } from "../status-pages/table.ts";
import { users } from "../users/table.ts";
import type { WebhookRecord } from "../webhooks/read.ts";
import { deliveries, deliveryAttempts, webhooks } from "../webhooks/table.ts";
import type { AttemptRecord, DeliveryRecord } from "./read.ts";

/**
 * One statement for any number of deliveries, so that it can be part of any batch. Known ids are left alone, and a
 * webhook that was deleted meanwhile drops out instead of breaking the batch.
 */
export function insertDeliveries(db: Db, records: readonly DeliveryRecord[], condition = sql`true`): Statement {
  const members = Object.values(getTableColumns(deliveries)).map((column) => sql`record.value ->> ${column.name}`);
  return db
    .insert(deliveries)
    .select(
      // SQLite needs the WHERE to distinguish the join's ON from the insert's ON CONFLICT.
      sql`SELECT ${sql.join(members, sql`, `)} FROM json_each(${JSON.stringify(records)}) AS record
        JOIN ${webhooks} ON ${webhooks.id} = record.value ->> 'webhook_id' WHERE ${condition}`,
    )
    .onConflictDoNothing();
}

export interface ClaimedDelivery {
  delivery: DeliveryRecord;
  webhook: WebhookRecord;
  /** Undefined where it was deleted; throws for an event that this release cannot read. */
  readEvent(): StoredEvent | undefined;
  /** Null for a monitor without a page. */
  page: { name: string; timezone: string } | null;
  /** Of the monitor that the event is about; null where it is about none, or it is gone. */
  monitor: { tags: string[]; external_key: string | null } | null;
  /** null = the operator's default plan. */
  owner_plan: Plan | null;
}

/** It was deleted meanwhile. */
const NO_EVENT = { event: undefined, page_name: null, page_timezone: null, monitor_tags: null, monitor_key: null };

/** Claims those of these deliveries that are due for one attempt, with their webhooks and events. */
export async function claimDeliveries(
  db: Db,
  ids: readonly string[],
  lease: { now: number; lease_until: number },
): Promise<ClaimedDelivery[]> {
  const ofDeliveries = (column: "webhook_id" | "event_id") =>
    sql`(SELECT ${deliveries[column]} FROM ${deliveries} WHERE ${isAmong(deliveries.id, ids)})`;
  const isMeant = sql`${webhooks.id} IN ${ofDeliveries("webhook_id")}`;
  const [claimed, hooks, found, owners] = await db.batch([
    claimAll(db, deliveries, ids, lease),
    db.select().from(webhooks).where(isMeant).limit(ids.length),
    db
      .select({
        event: events,
        // Under names of their own: results of a batch are objects by column name.
        page_name: sql<string | null>`${statusPages.name}`.as("page_name"),
        page_timezone: sql<string | null>`${statusPages.timezone}`.as("page_timezone"),
        monitor_tags: sql<string | null>`${monitors.tags}`.as("monitor_tags"),
        monitor_key: sql<string | null>`${monitors.external_key}`.as("monitor_key"),
      })
      .from(events)
      .leftJoin(statusPages, eq(statusPages.id, events.status_page_id))
      .leftJoin(monitors, and(eq(monitors.id, events.monitor_id), eq(monitors.owner_id, events.owner_id)))
      .where(sql`${events.id} IN ${ofDeliveries("event_id")}`)
      .limit(ids.length),
    db
      .select({ id: users.id, plan: users.plan })
      .from(users)
      .where(sql`${users.id} IN (SELECT ${webhooks.owner_id} FROM ${webhooks} WHERE ${isMeant})`)
      .limit(ids.length),
  ]);
  const webhookOf = new Map(hooks.map((webhook) => [webhook.id, webhook]));
  const eventOf = new Map(found.map((row) => [row.event.id, row]));
  const planOf = new Map(owners.map(({ id, plan }) => [id, plan]));
  return claimed.flatMap((delivery) => {
    const webhook = webhookOf.get(delivery.webhook_id);
    if (!webhook) return [];
    const { event, page_name, page_timezone, monitor_tags, monitor_key } = eventOf.get(delivery.event_id) ?? NO_EVENT;
    const page = page_name && page_timezone ? { name: page_name, timezone: page_timezone } : null;
    const monitor = monitor_tags === null ? null : { tags: JSON.parse(monitor_tags), external_key: monitor_key };
    const owner_plan = planOf.get(webhook.owner_id) ?? null;
    return [{ delivery, webhook, page, monitor, readEvent: () => event && toEvent(event), owner_plan }];
  });
}

type Attempted = Pick<DeliveryRecord, "id" | "attempt">;

/** Gives claimed deliveries back without an attempt. */
export function unclaimDeliveries(
  db: Db,
  claimed: readonly Attempted[],
  change: Partial<DeliveryRecord> = {},
): Statement {
  return db
    .update(deliveries)
    .set({ ...change, attempt: sql`${deliveries.attempt} - 1`, lease_until: 0 })
    .from(givenRows(claimed))
    .where(and(holdsClaim, isPending(deliveries)));
}

/** Keeps the claims of attempts that take long. */
export function renewClaims(db: Db, claimed: readonly Attempted[], lease_until: number): Statement {
  return db
    .update(deliveries)
    .set({ lease_until })
    .from(givenRows(claimed))
    .where(and(holdsClaim, isPending(deliveries)));
}

export type Settled = Attempted & Pick<DeliveryRecord, "state" | "next_attempt_at">;

/** Ends one attempt of each. Harmless when repeated: only the attempt that holds the claim changes its row. */
export function settleDeliveries(db: Db, settled: readonly Settled[], now: number): Statement {
  const next = sql`r.value ->> 'next_attempt_at'`;
  return db
    .update(deliveries)
    .set({
      state: sql`r.value ->> 'state'`,
      next_attempt_at: next,
      wake_at: sql`coalesce(${next} + ${WAKE_GRACE_MS}, ${deliveries.wake_at})`,
      lease_until: 0,
      updated_at: now,
    })
    .from(givenRows(settled))
    .where(and(holdsClaim, isPending(deliveries)));
}

const givenRows = (rows: readonly Attempted[]) => sql`json_each(${JSON.stringify(rows)}) AS r`;
const holdsClaim = sql`${deliveries.id} = r.value ->> 'id' AND ${deliveries.attempt} = r.value ->> 'attempt'`;

const NOT_KEPT = "(not kept: the deliveries of this day have used up what the plan keeps of them)";

/** Known attempts are left alone, and those of deliveries that were deleted meanwhile drop out. */
export function insertAttempts(db: Db, attempts: readonly AttemptRecord[], budget: KeptBytes | null): Statement {
  const given = (name: string) => sql`record.value ->> ${name}`;
  const request = given("request");
  const shortened = sql`json_set(${request}, '$.body', ${NOT_KEPT}, '$.headers', json('{}'))`;
  const isAbove = budget ? isUsedUp(budget) : sql`false`;
  const texts: Record<string, SQL> = {
    request: sql`CASE WHEN ${isAbove} AND ${request} ->> 'body' IS NOT NULL THEN ${shortened} ELSE ${request} END`,
    response_body: sql`CASE WHEN ${isAbove} AND ${given("response_body")} <> '' THEN ${NOT_KEPT}
      ELSE ${given("response_body")} END`,
  };
  const members = Object.values(getTableColumns(deliveryAttempts)).map(
    ({ name }) => (budget && texts[name]) ?? given(name),
  );
  return db
    .insert(deliveryAttempts)
    .select(
      sql`SELECT ${sql.join(members, sql`, `)} FROM json_each(${JSON.stringify(attempts)}) AS record
        JOIN ${deliveries} ON ${deliveries.id} = record.value ->> 'delivery_id' WHERE true`,
    )
    .onConflictDoNothing();
}

const ownerOfDelivery = sql`(SELECT ${webhooks.owner_id} FROM ${webhooks} WHERE ${webhooks.id} = ${deliveries.webhook_id})`;

const isUsedUp = ({ day_at, ...caps }: KeptBytes) => sql`EXISTS (
  SELECT 1 FROM ${deliveryBudgets} JOIN ${users} ON ${users.id} = ${deliveryBudgets.owner_id}
  WHERE ${deliveryBudgets.owner_id} = ${ownerOfDelivery} AND ${deliveryBudgets.day_at} = ${day_at}
    AND ${deliveryBudgets.kept_bytes} >= ${keptMax(caps)})`;

/** Makes a delivery due again at once, regardless of its outcome. */
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
