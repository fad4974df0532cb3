import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../columns.ts";
import { monitors } from "../monitors/table.ts";
import { webhooks } from "../webhooks/table.ts";

/** When a webhook's latest reminder of a monitor's outage was due, so that each is sent once. */
export const webhookReminders = sqliteTable(
  "webhook_reminders",
  {
    webhook_id: text("webhook_id")
      .notNull()
      .references(() => webhooks.id, { onDelete: "cascade" }),
    monitor_id: text("monitor_id")
      .notNull()
      .references(() => monitors.id, { onDelete: "cascade" }),
    outage_seq: integer("outage_seq").notNull(),
    due_at: instant("due_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.webhook_id, table.monitor_id] }),
    index("webhook_reminders_monitor").on(table.monitor_id),
  ],
);
