import { sql } from "drizzle-orm";
import { index, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { SubscriptionTopic } from "../../contract/events.ts";
import type { SubscriberChannel } from "../../contract/subscriber.ts";
import { emptyList, flag, id, instant, timestamps } from "../columns.ts";
import { leaseColumns } from "../outbox/rows.ts";
import { statusPages } from "../status-pages/table.ts";

/** Addresses outside of the account that asked for updates of a page. */
export const subscribers = sqliteTable(
  "subscribers",
  {
    id: id(),
    owner_id: text("owner_id").notNull(),
    status_page_id: text("status_page_id")
      .notNull()
      .references(() => statusPages.id, { onDelete: "cascade" }),
    channel: text("channel").$type<SubscriberChannel>().notNull(),
    /** Keyed hash, so that the table does not reveal addresses. */
    endpoint_hash: text("endpoint_hash").notNull(),
    /** The address, encrypted; null once nothing is sent there any more. */
    sealed: text("sealed"),
    endpoint_masked: text("endpoint_masked").notNull(),
    events: text("events", { mode: "json" }).$type<SubscriptionTopic[]>().notNull().default(emptyList),
    monitor_ids: text("monitor_ids", { mode: "json" }).$type<string[]>().notNull().default(emptyList),
    group_ids: text("group_ids", { mode: "json" }).$type<string[]>().notNull().default(emptyList),
    /** When the latest request was made that waits for its confirmation. */
    requested_at: instant("requested_at"),
    confirmed_at: instant("confirmed_at"),
    unsubscribed_at: instant("unsubscribed_at"),
    /** Somebody of the team had the address asked; it did not ask by itself. */
    is_invited: flag("is_invited").notNull().default(false),
    /** Of an address that is no mailbox: first failure since the last success, for ending what only fails. */
    failing_since: instant("failing_since"),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex("subscribers_endpoint").on(table.status_page_id, table.channel, table.endpoint_hash),
    index("subscribers_page").on(table.status_page_id, table.created_at),
    index("subscribers_confirmed")
      .on(table.status_page_id)
      .where(sql`confirmed_at IS NOT NULL AND unsubscribed_at IS NULL`),
    index("subscribers_unconfirmed").on(table.requested_at).where(sql`confirmed_at IS NULL`),
    index("subscribers_left").on(table.unsubscribed_at).where(sql`unsubscribed_at IS NOT NULL`),
  ],
);

/** Messages to subscribers, sent by `delivery/subscriber-messages.ts`. */
export const subscriberMessages = sqliteTable(
  "subscriber_messages",
  {
    id: id(),
    subscriber_id: text("subscriber_id")
      .notNull()
      .references(() => subscribers.id, { onDelete: "cascade" }),
    kind: text("kind").$type<"confirm" | "news">().notNull(),
    /** Its content; it is formatted when it is sent. */
    news: text("news", { mode: "json" }).$type<Record<string, unknown>>().notNull(),
    state: text("state").$type<"pending" | "sent" | "failed">().notNull().default("pending"),
    next_attempt_at: instant("next_attempt_at").notNull(),
    ...leaseColumns(),
    error: text("error"),
    ...timestamps(),
  },
  (table) => [
    index("subscriber_messages_to_wake").on(table.wake_at).where(sql`state = 'pending'`),
    // By the incident that it links, and in time among those that link none.
    index("subscriber_messages_told").on(table.subscriber_id, sql`(news ->> '$.incident_id')`, table.created_at),
    index("subscriber_messages_age").on(table.created_at),
  ],
);
