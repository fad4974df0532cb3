import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { AlertTargets } from "../../contract/alert-targets.ts";
import type { DeliveryState, RecordedRequest, WebhookProvider } from "../../contract/webhook.ts";
import { emptyList, flag, id, instant, timestamps } from "../columns.ts";
import { leaseColumns } from "../outbox/rows.ts";
import { statusPages } from "../status-pages/table.ts";
import { users } from "../users/table.ts";

export const webhooks = sqliteTable(
  "webhooks",
  {
    id: id(),
    owner_id: text("owner_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    created_by: text("created_by").notNull(),
    /** null = receives events of all pages of its owner and of monitors without a page. */
    status_page_id: text("status_page_id").references(() => statusPages.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    provider: text("provider").$type<WebhookProvider>().notNull(),
    /** Encrypted `{url, secret, alert_channels}`: chat addresses are credentials, too. */
    sealed: text("sealed").notNull(),
    has_secret: flag("has_secret").notNull().default(false),
    events: text("events", { mode: "json" }).$type<string[]>().notNull().default(emptyList),
    /** What it hears of; null = everything. */
    targets: text("targets", { mode: "json" }).$type<AlertTargets>(),
    is_active: flag("is_active").notNull().default(true),
    is_team_only: flag("is_team_only").notNull().default(false),
    /** First failure since the last success, for switching off what only fails. */
    failing_since: instant("failing_since"),
    /** When its owner was warned of the present run of failures. */
    warned_at: instant("warned_at"),
    disabled_reason: text("disabled_reason"),
    /** While its receiver lets attempts time out: since when. */
    slow_since: instant("slow_since"),
    /** While a monitor stays down, its alert is repeated so often; null: never. */
    remind_every_minutes: integer("remind_every_minutes"),
    /** While it is sent the audit log: entries before this instant are settled; null: it is not. */
    audit_from: instant("audit_from"),
    external_key: text("external_key"),
    ...timestamps(),
  },
  (table) => [
    index("webhooks_auditing").on(table.owner_id).where(sql`audit_from IS NOT NULL AND is_active = 1`),
    index("webhooks_reminding").on(table.owner_id).where(sql`remind_every_minutes IS NOT NULL AND is_active = 1`),
    index("webhooks_owner").on(table.owner_id, table.created_at),
    uniqueIndex("webhooks_external_key").on(table.owner_id, table.external_key),
    index("webhooks_unwarned")
      .on(table.failing_since)
      .where(sql`failing_since IS NOT NULL AND warned_at IS NULL AND is_active = 1`),
  ],
);

/** Spelled out, not bound: SQLite uses the partial index of these webhooks only for the very same condition. */
export const isReminding = sql`${webhooks.remind_every_minutes} IS NOT NULL AND ${webhooks.is_active} = 1`;

/** Likewise. */
export const isAuditing = sql`${webhooks.audit_from} IS NOT NULL AND ${webhooks.is_active} = 1`;

/** One event for one webhook. */
export const deliveries = sqliteTable(
  "deliveries",
  {
    id: id(),
    webhook_id: text("webhook_id")
      .notNull()
      .references(() => webhooks.id, { onDelete: "cascade" }),
    event_id: text("event_id").notNull(),
    /** Name under which the webhook receives the event. */
    event_name: text("event_name").notNull(),
    /** The rule whose alert_channels name where this goes. */
    rule_id: text("rule_id"),
    state: text("state").$type<DeliveryState>().notNull(),
    /** The owner for whose budget it waits; null while it does not. */
    throttled_owner_id: text("throttled_owner_id"),
    next_attempt_at: instant("next_attempt_at"),
    /** The delivery whose message lists this event. */
    bundled_into: text("bundled_into"),
    /** How many deliveries are bundled into this one, itself included. */
    bundle_size: integer("bundle_size"),
    ...leaseColumns(),
    ...timestamps(),
  },
  (table) => [
    index("deliveries_webhook").on(table.webhook_id, table.created_at),
    index("deliveries_to_wake").on(table.wake_at).where(sql`state = 'pending'`),
    index("deliveries_throttled")
      .on(table.throttled_owner_id, table.created_at)
      .where(sql`throttled_owner_id IS NOT NULL`),
    index("deliveries_bundle").on(table.bundled_into).where(sql`bundled_into IS NOT NULL`),
    index("deliveries_age").on(table.created_at),
  ],
);

/** Messages that a provider can edit: the latest of each thread of a webhook. */
export const chatMessages = sqliteTable(
  "chat_messages",
  {
    webhook_id: text("webhook_id")
      .notNull()
      .references(() => webhooks.id, { onDelete: "cascade" }),
    /** Of the outage, incident or other object that the message is about. */
    thread_id: text("thread_id").notNull(),
    /** A message is edited while this stays the same. */
    state: text("state").notNull(),
    /** The id that the provider gave it. */
    message_id: text("message_id").notNull(),
    updated_at: instant("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.webhook_id, table.thread_id] }),
    index("chat_messages_age").on(table.updated_at),
  ],
);

/** What differs between the attempts of a delivery; their ids derive from it (platform/ids.ts). */
export const deliveryAttempts = sqliteTable(
  "delivery_attempts",
  {
    delivery_id: text("delivery_id")
      .notNull()
      .references(() => deliveries.id, { onDelete: "cascade" }),
    attempt: integer("attempt").notNull(),
    // Only the release before writes these, which may run on this schema for a while.
    id: text("id"),
    webhook_id: text("webhook_id"),
    request: text("request", { mode: "json" }).$type<RecordedRequest>().notNull(),
    response_status: integer("response_status"),
    response_body: text("response_body"),
    duration_ms: integer("duration_ms").notNull(),
    error: text("error"),
    next_attempt_at: instant("next_attempt_at"),
    created_at: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.delivery_id, table.attempt] })],
);
