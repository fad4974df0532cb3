import { and, count, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Pagination } from "../../contract/pagination.ts";
import type { WebhookProvider } from "../../contract/webhook.ts";
import type { Db } from "../db.ts";
import { isOneOf } from "../filters.ts";
import { isBelow, skippedOf } from "../keyset.ts";
import { type Viewer, visibleTo } from "../members/read.ts";
import { statusPages } from "../status-pages/table.ts";
import { users } from "../users/table.ts";
import { deliveries, deliveryAttempts, webhooks } from "./table.ts";

export type WebhookRecord = typeof webhooks.$inferSelect;

export async function findWebhook(db: Db, webhookId: string): Promise<WebhookRecord | undefined> {
  const rows = await db.select().from(webhooks).where(eq(webhooks.id, webhookId)).limit(1);
  return rows[0];
}

/** The webhooks of one page, or all that a user sees. */
export async function listWebhooksOf(
  db: Db,
  of: { status_page_id: string } | { visible_to: Viewer },
  page: Pagination,
  filter: { provider?: WebhookProvider[]; is_active?: boolean } = {},
) {
  const mine = and(
    "visible_to" in of ? visibleTo(of.visible_to, webhooks) : eq(webhooks.status_page_id, of.status_page_id),
    isOneOf(webhooks.provider, filter.provider),
    filter.is_active === undefined ? undefined : eq(webhooks.is_active, filter.is_active),
  );
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(webhooks)
      .where(and(mine, isBelow(page, webhooks.created_at, webhooks.id)))
      .orderBy(desc(webhooks.created_at), desc(webhooks.id))
      .limit(page.limit)
      .offset(skippedOf(page)),
    db.select({ total: count() }).from(webhooks).where(mine),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

export type ActiveWebhook = Awaited<ReturnType<typeof listActiveWebhooks>>[number];

/** Everything that routing has to know, for several owners in one read. */
export function listActiveWebhooks(db: Db, ownerIds: readonly string[]) {
  return listRouted(db, ownerIds, { is_active: true });
}

/** The same of those that are off, for who asks why they hear nothing. */
export function listInactiveWebhooks(db: Db, ownerId: string) {
  return listRouted(db, [ownerId], { is_active: false });
}

function listRouted(db: Db, ownerIds: readonly string[], { is_active }: { is_active: boolean }) {
  return db
    .select({
      id: webhooks.id,
      owner_id: webhooks.owner_id,
      name: webhooks.name,
      status_page_id: webhooks.status_page_id,
      provider: webhooks.provider,
      events: webhooks.events,
      targets: webhooks.targets,
      is_active: webhooks.is_active,
      is_team_only: webhooks.is_team_only,
      slow_since: webhooks.slow_since,
      failing_since: webhooks.failing_since,
    })
    .from(webhooks)
    .where(
      and(
        // One parameter, because D1 binds a hundred at most.
        inArray(webhooks.owner_id, sql`(SELECT value FROM json_each(${JSON.stringify(ownerIds)}))`),
        eq(webhooks.is_active, is_active),
      ),
    )
    .orderBy(webhooks.created_at, webhooks.id);
}

export type WebhookKey = Pick<WebhookRecord, "id" | "owner_id">;

export function isThis(webhook: WebhookKey) {
  return and(eq(webhooks.id, webhook.id), eq(webhooks.owner_id, webhook.owner_id));
}

/** Whether a user changed the webhook since it was read, or it is gone. */
export function isWebhookChanged(webhook: WebhookKey & Pick<WebhookRecord, "updated_at">): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM ${webhooks} WHERE ${and(isThis(webhook), eq(webhooks.updated_at, webhook.updated_at))})`;
}

export interface Failure {
  webhook_id: string;
  now: number;
  /** Disables the webhook if every delivery since then failed. */
  disable_if_failing_since: number;
  disabled_reason: string;
}

/** The condition under which this failure switches its webhook off. */
export function isDisabledBy(failure: Failure): SQL {
  return sql`EXISTS (SELECT 1 FROM ${webhooks}
    WHERE ${webhooks.id} = ${failure.webhook_id} AND ${webhooks.is_active} = 1 AND ${overdue(failure)})`;
}

export function overdue(failure: Failure): SQL {
  return sql`coalesce(${webhooks.failing_since}, ${failure.now}) <= ${failure.disable_if_failing_since}`;
}

/** The address of the owner, and the page's name and zone. */
export interface WebhookOwner {
  email: string;
  page_name: string | null;
  timezone: string | null;
}

export async function findWebhookOwner(db: Db, webhook: WebhookKey): Promise<WebhookOwner | undefined> {
  const rows = await db
    .select({ email: users.email, page_name: statusPages.name, timezone: statusPages.timezone })
    .from(webhooks)
    .innerJoin(users, eq(users.id, webhooks.owner_id))
    .leftJoin(statusPages, eq(statusPages.id, webhooks.status_page_id))
    .where(isThis(webhook))
    .limit(1);
  return rows[0];
}

/** Spelled out, not bound: SQLite uses the partial index of these webhooks only for the very same condition. */
const isUnwarned = sql`${webhooks.failing_since} IS NOT NULL AND ${webhooks.warned_at} IS NULL AND ${webhooks.is_active} = 1`;

/** Webhooks without a success since then, with their owner and the error of the last attempt. */
export async function listWebhooksToWarn(db: Db, failingSince: number, limit: number) {
  const last_error = sql<
    string | null
  >`(SELECT a.error FROM ${deliveries} d JOIN ${deliveryAttempts} a ON a.delivery_id = d.id
    WHERE d.webhook_id = ${webhooks.id} ORDER BY d.created_at DESC, a.attempt DESC LIMIT 1)`;
  return db
    .select({
      webhook: webhooks,
      email: users.email,
      page_name: statusPages.name,
      timezone: statusPages.timezone,
      last_error,
    })
    .from(webhooks)
    .innerJoin(users, eq(users.id, webhooks.owner_id))
    .leftJoin(statusPages, eq(statusPages.id, webhooks.status_page_id))
    .where(and(isUnwarned, sql`${webhooks.failing_since} <= ${failingSince}`))
    .orderBy(webhooks.failing_since)
    .limit(limit);
}

/** True while this run of failures is still worth a warning; for what is written together with noteWarning. */
export function isStillUnwarned({ id, failing_since }: Pick<WebhookRecord, "id" | "failing_since">): SQL {
  return sql`EXISTS (SELECT 1 FROM ${webhooks}
    WHERE ${webhooks.id} = ${id} AND ${webhooks.failing_since} = ${failing_since} AND ${isUnwarned})`;
}

/** True while its owner knows of failures that are not over; for what is written together with clearFailures. */
export function isStillWarned({ id, warned_at }: Pick<WebhookRecord, "id" | "warned_at">): SQL {
  return sql`EXISTS (SELECT 1 FROM ${webhooks} WHERE ${webhooks.id} = ${id} AND ${webhooks.warned_at} = ${warned_at})`;
}
