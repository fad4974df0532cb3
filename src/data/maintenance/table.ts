import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { RecurrenceType } from "../../contract/maintenance.ts";
import { emptyList, flag, id, instant, timestamps } from "../columns.ts";
import { monitorGroups } from "../monitor-groups/table.ts";
import { monitors } from "../monitors/table.ts";
import { statusPages } from "../status-pages/table.ts";

export const maintenance = sqliteTable(
  "maintenance",
  {
    id: id(),
    owner_id: text("owner_id").notNull(),
    created_by: text("created_by").notNull(),
    status_page_id: text("status_page_id")
      .notNull()
      .references(() => statusPages.id, { onDelete: "cascade" }),
    title: text("title").notNull(),
    description: text("description"),
    is_public: flag("is_public").notNull(),
    /** Covers all monitors that the page has at the time, because it was planned without targets. */
    covers_page: flag("covers_page").notNull().default(false),
    start_time: instant("start_time").notNull(),
    end_time: instant("end_time").notNull(),
    recurrence_type: text("recurrence_type").$type<RecurrenceType>().notNull(),
    recurrence_interval: integer("recurrence_interval").notNull(),
    recurrence_end_date: instant("recurrence_end_date"),
    recurrence_day_of_week: integer("recurrence_day_of_week"),
    recurrence_day_of_month: integer("recurrence_day_of_month"),
    /** Starts of occurrences that will not take place. */
    cancelled_starts: text("cancelled_starts", { mode: "json" }).$type<number[]>().notNull().default(emptyList),
    /** Occurrences that start before this are over. */
    done_until: instant("done_until").notNull(),
    /** The occurrence in progress, else the next one; null when there is none left. */
    occurrence_start_at: instant("occurrence_start_at"),
    occurrence_end_at: instant("occurrence_end_at"),
    /** When that occurrence starts or, once its start was announced, ends. The minute's sweep selects due windows by it. */
    next_edge_at: instant("next_edge_at"),
    external_key: text("external_key"),
    ...timestamps(),
  },
  (table) => [
    index("maintenance_page").on(table.status_page_id, table.start_time),
    index("maintenance_owner").on(table.owner_id, table.start_time),
    uniqueIndex("maintenance_external_key").on(table.owner_id, table.external_key),
    index("maintenance_planned").on(table.owner_id).where(sql`next_edge_at IS NOT NULL`),
    index("maintenance_due").on(table.next_edge_at).where(sql`next_edge_at IS NOT NULL`),
  ],
);

export const maintenanceUpdates = sqliteTable(
  "maintenance_updates",
  {
    id: id(),
    maintenance_id: text("maintenance_id")
      .notNull()
      .references(() => maintenance.id, { onDelete: "cascade" }),
    status: text("status").$type<"scheduled" | "in_progress" | "completed">().notNull(),
    message: text("message").notNull(),
    created_by: text("created_by"),
    ...timestamps(),
  },
  (table) => [index("maintenance_updates_maintenance").on(table.maintenance_id, table.created_at)],
);

export const maintenanceMonitors = sqliteTable(
  "maintenance_monitors",
  {
    maintenance_id: text("maintenance_id")
      .notNull()
      .references(() => maintenance.id, { onDelete: "cascade" }),
    monitor_id: text("monitor_id")
      .notNull()
      .references(() => monitors.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.maintenance_id, table.monitor_id] }),
    index("maintenance_monitors_monitor").on(table.monitor_id),
  ],
);

export const maintenanceGroups = sqliteTable(
  "maintenance_groups",
  {
    maintenance_id: text("maintenance_id")
      .notNull()
      .references(() => maintenance.id, { onDelete: "cascade" }),
    group_id: text("group_id")
      .notNull()
      .references(() => monitorGroups.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.maintenance_id, table.group_id] }),
    index("maintenance_groups_group").on(table.group_id),
  ],
);

/**
 * What was in maintenance, and when: the one source of maintenance time in bars, percentages, badges and reports. A later
 * change of the window, its targets or its groups does not rewrite it, nor does the end of any of them.
 */
export const maintenanceCoverage = sqliteTable(
  "maintenance_coverage",
  {
    status_page_id: text("status_page_id")
      .notNull()
      .references(() => statusPages.id, { onDelete: "cascade" }),
    maintenance_id: text("maintenance_id").notNull(),
    start_at: instant("start_at").notNull(),
    end_at: instant("end_at").notNull(),
    is_public: flag("is_public").notNull(),
    covers_page: flag("covers_page").notNull(),
    /** Those that the targets stood for; empty where the whole page is covered. */
    monitor_ids: text("monitor_ids", { mode: "json" }).$type<string[]>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.status_page_id, table.maintenance_id, table.start_at] }),
    index("maintenance_coverage_page").on(table.status_page_id, table.end_at),
    index("maintenance_coverage_window").on(table.maintenance_id, table.start_at),
  ],
);

/** What has begun, as it really took place: a later change of the window does not rewrite it. */
export const maintenanceOccurrences = sqliteTable(
  "maintenance_occurrences",
  {
    maintenance_id: text("maintenance_id")
      .notNull()
      .references(() => maintenance.id, { onDelete: "cascade" }),
    start_at: instant("start_at").notNull(),
    end_at: instant("end_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.maintenance_id, table.start_at] })],
);
