import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../columns.ts";
import { monitors } from "../monitors/table.ts";

/** Credentials that another tool had given to senders of heartbeats; they keep sending with them. */
export const pushAliases = sqliteTable(
  "push_aliases",
  {
    token_hash: text("token_hash").primaryKey(),
    monitor_id: text("monitor_id")
      .notNull()
      .references(() => monitors.id, { onDelete: "cascade" }),
    created_at: instant("created_at").notNull(),
  },
  (table) => [index("push_aliases_monitor").on(table.monitor_id)],
);
