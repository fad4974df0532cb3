import { index, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { monitors } from "../monitors/table.ts";

/** What a monitor depends on: while `parent_id` is down, outages of `monitor_id` are held. Never a circle. */
export const monitorDependencies = sqliteTable(
  "monitor_dependencies",
  {
    monitor_id: text("monitor_id")
      .notNull()
      .references(() => monitors.id, { onDelete: "cascade" }),
    parent_id: text("parent_id")
      .notNull()
      .references(() => monitors.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.monitor_id, table.parent_id] }),
    index("monitor_dependencies_parent").on(table.parent_id),
  ],
);
