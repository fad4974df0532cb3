import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { id, timestamps } from "../columns.ts";
import { statusPages } from "../status-pages/table.ts";

/** Headings of a status page, under which it shows its monitors. */
export const monitorGroups = sqliteTable(
  "monitor_groups",
  {
    id: id(),
    owner_id: text("owner_id").notNull(),
    created_by: text("created_by").notNull(),
    status_page_id: text("status_page_id")
      .notNull()
      .references(() => statusPages.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    position: integer("position").notNull().default(0),
    external_key: text("external_key"),
    ...timestamps(),
  },
  (table) => [
    index("monitor_groups_page").on(table.status_page_id, table.position, table.id),
    index("monitor_groups_owner").on(table.owner_id, table.position, table.id),
    uniqueIndex("monitor_groups_external_key").on(table.owner_id, table.external_key),
  ],
);
export type MonitorGroupRecord = typeof monitorGroups.$inferSelect;
