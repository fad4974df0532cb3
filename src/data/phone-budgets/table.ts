import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { webhooks } from "../webhooks/table.ts";

/** Parts of text messages, and calls, that a Twilio channel sent to people in a month. */
export const phoneBudgets = sqliteTable("phone_budgets", {
  webhook_id: text("webhook_id")
    .primaryKey()
    .references(() => webhooks.id, { onDelete: "cascade" }),
  /** The month that `taken` counts, such as 2026-11. */
  month: text("month").notNull(),
  taken: integer("taken").notNull(),
});
