import { sql } from "drizzle-orm";
import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, instant, timestamps } from "../columns.ts";
import { leaseColumns } from "../outbox/rows.ts";

/** Mail. Messages carry links that authenticate, so their text is encrypted, and deleted once they are sent. */
export const mailOutbox = sqliteTable(
  "mail_outbox",
  {
    id: id(),
    sealed: text("sealed"),
    state: text("state").$type<"pending" | "sent" | "failed">().notNull().default("pending"),
    next_attempt_at: instant("next_attempt_at").notNull(),
    ...leaseColumns(),
    error: text("error"),
    ...timestamps(),
  },
  (table) => [
    index("mail_outbox_to_wake").on(table.wake_at).where(sql`state = 'pending'`),
    index("mail_outbox_age").on(table.created_at),
  ],
);
