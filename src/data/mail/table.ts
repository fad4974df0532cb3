import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, instant, timestamps } from "../columns.ts";

/** Mail on its way. Messages carry links that let people in, so their text is encrypted, and gone once they are sent. */
export const mailOutbox = sqliteTable(
  "mail_outbox",
  {
    id: id(),
    sealed: text("sealed"),
    state: text("state").$type<"pending" | "sent" | "failed">().notNull().default("pending"),
    attempt: integer("attempt").notNull().default(0),
    next_attempt_at: instant("next_attempt_at").notNull(),
    error: text("error"),
    ...timestamps(),
  },
  (table) => [
    index("mail_outbox_due").on(table.next_attempt_at).where(sql`state = 'pending'`),
    index("mail_outbox_age").on(table.created_at),
  ],
);
