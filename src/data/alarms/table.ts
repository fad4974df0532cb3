import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { AlarmName } from "../../contract/alarm.ts";
import { instant } from "../columns.ts";

/** A row per alarm that is raised; a cleared one has none. */
export const alarms = sqliteTable("alarms", {
  name: text("name").$type<AlarmName>().primaryKey(),
  message: text("message").notNull(),
  raised_at: instant("raised_at").notNull(),
});
