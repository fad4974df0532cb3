import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../columns.ts";
import { statusPages } from "../status-pages/table.ts";

/** By which senders of heartbeats name the monitors of one page by their keys, as Healthchecks has it per project. */
export const pingKeys = sqliteTable("ping_keys", {
  status_page_id: text("status_page_id")
    .primaryKey()
    .references(() => statusPages.id, { onDelete: "cascade" }),
  key_hash: text("key_hash").notNull().unique(),
  /** Whose rights decide whether it creates monitors. */
  created_by: text("created_by").notNull(),
  created_at: instant("created_at").notNull(),
});
