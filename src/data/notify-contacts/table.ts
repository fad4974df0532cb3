import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { NotifyContactType } from "../../contract/notify-contact.ts";
import { id, instant, timestamps } from "../columns.ts";
import { leaseColumns } from "../outbox/rows.ts";
import { users } from "../users/table.ts";

/** Where a user can be reached besides the account. */
export const notifyContacts = sqliteTable(
  "notify_contacts",
  {
    id: id(),
    user_id: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    type: text("type").$type<NotifyContactType>().notNull(),
    /** The address, encrypted: chat addresses are credentials. */
    sealed: text("sealed").notNull(),
    label: text("label"),
    verified_at: instant("verified_at"),
    /** Of a telephone number that gets text messages: whose answer it is. */
    number_hash: text("number_hash"),
    /** Codes that were entered; a telephone number has few attempts. */
    code_attempts: integer("code_attempts").notNull().default(0),
    ...timestamps(),
  },
  (table) => [
    index("notify_contacts_user").on(table.user_id, table.created_at),
    index("notify_contacts_number").on(table.number_hash).where(sql`number_hash IS NOT NULL`),
  ],
);

/** The key pair by which push services know this installation (RFC 8292). It has one row, made at first use. */
export const applicationKeys = sqliteTable("application_keys", {
  id: id(),
  sealed: text("sealed").notNull(),
  created_at: instant("created_at").notNull(),
});

/** Alerts to the team on their way to a contact of one of them; the contact is read when they are sent. */
export const contactMessages = sqliteTable(
  "contact_messages",
  {
    /** Derived from event and contact. */
    id: id(),
    contact_id: text("contact_id")
      .notNull()
      .references(() => notifyContacts.id, { onDelete: "cascade" }),
    /** The message, encrypted: its links are credentials. Empty once it was sent. */
    sealed: text("sealed").notNull(),
    state: text("state").$type<"pending" | "sent" | "failed">().notNull().default("pending"),
    next_attempt_at: instant("next_attempt_at").notNull(),
    ...leaseColumns(),
    error: text("error"),
    ...timestamps(),
  },
  (table) => [
    index("contact_messages_contact").on(table.contact_id),
    index("contact_messages_to_wake").on(table.wake_at).where(sql`state = 'pending'`),
    index("contact_messages_age").on(table.created_at),
  ],
);
