import { primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { MonitorStatus } from "../../contract/monitor-values.ts";
import type { DayRun } from "../../domain/daily-aggregates.ts";
import { instant } from "../columns.ts";
import { monitors } from "../monitors/table.ts";

/**
 * What the intervals of days that are long over come to, a month of one monitor in a row, so that bars and uptime read
 * a row for each month and not one for each change. Always derived from the intervals: a write that changes them deletes the row
 * in the same batch, and a day that is missing is read from them.
 */
export const dailyAggregates = sqliteTable(
  "daily_rollups",
  {
    monitor_id: text("monitor_id")
      .notNull()
      .references(() => monitors.id, { onDelete: "cascade" }),
    /** Of the zone's calendar, as 2026-11. */
    month: text("month").notNull(),
    /** Whose days these are; nothing reads a row of another zone than it shows. */
    timezone: text("timezone").notNull(),
    /** The end of the last day that is in it. */
    to_at: instant("to_at").notNull(),
    /** What lasted just before that, so that a reader needs no interval but those that begin later; null: nothing. */
    status: text("status").$type<MonitorStatus>(),
    /** From the first of the month on, without a gap. */
    days: text("days", { mode: "json" }).$type<DayRun[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.monitor_id, table.month] })],
);
