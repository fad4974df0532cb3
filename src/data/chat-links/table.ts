import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { ChatService } from "../../contract/chat-link.ts";
import { id, instant, timestamps } from "../columns.ts";
import { leaseColumns } from "../outbox/rows.ts";
import { statusPages } from "../status-pages/table.ts";

/** Tokens that link a channel to a page, each once; stored as SHA-256. */
export const chatLinkTokens = sqliteTable(
  "chat_link_tokens",
  {
    token_hash: text("token_hash").primaryKey(),
    service: text("service").$type<ChatService>().notNull(),
    status_page_id: text("status_page_id")
      .notNull()
      .references(() => statusPages.id, { onDelete: "cascade" }),
    created_by: text("created_by").notNull(),
    expires_at: instant("expires_at").notNull(),
    ...timestamps(),
  },
  (table) => [
    index("chat_link_tokens_page").on(table.status_page_id),
    index("chat_link_tokens_expiry").on(table.expires_at),
    index("chat_link_tokens_creator").on(table.created_by),
  ],
);

/** Channels in which the bot shows a page. */
export const statusChannels = sqliteTable(
  "status_channels",
  {
    id: id(),
    owner_id: text("owner_id").notNull(),
    status_page_id: text("status_page_id")
      .notNull()
      .references(() => statusPages.id, { onDelete: "cascade" }),
    service: text("service").$type<ChatService>().notNull(),
    channel_id: text("channel_id").notNull(),
    name: text("name"),
    created_by: text("created_by").notNull(),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex("status_channels_link").on(table.service, table.channel_id, table.status_page_id),
    index("status_channels_page").on(table.status_page_id, table.service),
  ],
);

/** One message in a channel: the summary of the page, or an incident. */
export const statusPosts = sqliteTable(
  "status_posts",
  {
    /** Derived from channel and subject. */
    id: id(),
    status_channel_id: text("status_channel_id")
      .notNull()
      .references(() => statusChannels.id, { onDelete: "cascade" }),
    /** Null: the summary of the page. */
    incident_id: text("incident_id"),
    /** Of the chat service, once it was sent; further versions edit it. */
    message_id: text("message_id"),
    /** Grows with every change that the message has to show. */
    version: integer("version").notNull().default(1),
    failures: integer("failures").notNull().default(0),
    state: text("state").$type<"pending" | "sent" | "failed">().notNull(),
    error: text("error"),
    next_attempt_at: instant("next_attempt_at"),
    ...leaseColumns(),
    ...timestamps(),
  },
  (table) => [
    index("status_posts_channel").on(table.status_channel_id),
    index("status_posts_wake").on(table.wake_at).where(sql`state = 'pending'`),
  ],
);

/** Requests of chat services that were accepted, so that a repeat is refused. */
export const chatRequests = sqliteTable(
  "chat_requests",
  { id: id(), created_at: instant("created_at").notNull() },
  (table) => [index("chat_requests_age").on(table.created_at)],
);
