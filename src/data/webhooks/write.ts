import { and, eq, or, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { isAmong } from "../outbox/rows.ts";
import { type Failure, isStillUnwarned, isThis, type WebhookKey, type WebhookRecord } from "./read.ts";
import { webhooks } from "./table.ts";

export function insertWebhook(db: Db, webhook: WebhookRecord): Statement {
  return db.insert(webhooks).values(webhook);
}
export type WebhookChanges = Partial<Omit<WebhookRecord, "id" | "owner_id" | "created_by" | "created_at">>;

/** Writes the named members only, because the sender keeps its own books in the same row. */
export function updateWebhook(db: Db, webhook: WebhookKey, changes: WebhookChanges): Statement {
  return db.update(webhooks).set(changes).where(isThis(webhook));
}

/** Switches from what the row says, so that several toggles at once all count. A toggle resets the failures. */
export function toggleActive(db: Db, webhook: WebhookKey, updated_at: number): Statement {
  const reset = { failing_since: null, warned_at: null, disabled_reason: null };
  const is_active = sql`NOT ${webhooks.is_active}`;
  const audit_from = sql`iif(${webhooks.audit_from} IS NULL, NULL, ${updated_at})`;
  return db
    .update(webhooks)
    .set({ is_active, audit_from, ...reset, updated_at })
    .where(isThis(webhook));
}

export function toggleTeamOnly(db: Db, webhook: WebhookKey, updated_at: number): Statement {
  const is_team_only = sql`NOT ${webhooks.is_team_only}`;
  return db.update(webhooks).set({ is_team_only, updated_at }).where(isThis(webhook));
}

/** With its deliveries. */
export function deleteWebhook(db: Db, webhook: WebhookKey): Statement {
  return db.delete(webhooks).where(isThis(webhook));
}

/** Whether their receivers let attempts time out, so that their deliveries have a queue of their own; null: they answer. */
export function setSlow(db: Db, webhookIds: readonly string[], slow_since: number | null): Statement {
  return db.update(webhooks).set({ slow_since }).where(isAmong(webhooks.id, webhookIds));
}

/** Ends runs of failures; writes nothing where there was none. */
export function clearFailures(db: Db, webhookIds: readonly string[]): Statement {
  return db
    .update(webhooks)
    .set({ failing_since: null, warned_at: null })
    .where(and(isAmong(webhooks.id, webhookIds), sql`${webhooks.failing_since} IS NOT NULL`));
}

/**
 * Starts a run of failures, or disables a webhook that was in one for too long. Writes only when one of them is due. One
 * failure of each webhook.
 */
export function recordFailures(db: Db, failures: readonly Failure[]): Statement {
  const since = sql`coalesce(${webhooks.failing_since}, f.value ->> 'now')`;
  const isOverdue = sql`${since} <= f.value ->> 'disable_if_failing_since'`;
  return db
    .update(webhooks)
    .set({
      failing_since: since,
      is_active: sql`CASE WHEN ${isOverdue} THEN 0 ELSE ${webhooks.is_active} END`,
      disabled_reason: sql`CASE WHEN ${isOverdue} THEN f.value ->> 'disabled_reason' ELSE ${webhooks.disabled_reason} END`,
      updated_at: sql`f.value ->> 'now'`,
    })
    .from(sql`json_each(${JSON.stringify(failures)}) AS f`)
    .where(
      and(
        sql`${webhooks.id} = f.value ->> 'webhook_id'`,
        or(sql`${webhooks.failing_since} IS NULL`, and(eq(webhooks.is_active, true), isOverdue)),
      ),
    );
}

export function markWarned(db: Db, webhook: Pick<WebhookRecord, "id" | "failing_since">, now: number): Statement {
  return db
    .update(webhooks)
    .set({ warned_at: now })
    .where(and(eq(webhooks.id, webhook.id), isStillUnwarned(webhook)));
}
