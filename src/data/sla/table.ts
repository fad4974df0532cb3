import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { PolicyPeriod, SlaFormerKind } from "../../contract/sla.ts";
import { flag, id, instant, timestamps } from "../columns.ts";
import { monitors } from "../monitors/table.ts";
import { statusPages } from "../status-pages/table.ts";
import { users } from "../users/table.ts";

/** What an account promises; one policy may hold for many pages. */
export const slaPolicies = sqliteTable(
  "sla_policies",
  {
    id: id(),
    owner_id: text("owner_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    created_by: text("created_by").notNull(),
    name: text("name").notNull(),
    target_percentage: real("target_percentage").notNull(),
    period: text("period").$type<PolicyPeriod>().notNull(),
    exclude_maintenance: flag("exclude_maintenance").notNull(),
    degraded_counts_as_downtime: flag("degraded_counts_as_downtime").notNull(),
    ...timestamps(),
  },
  (table) => [index("sla_policies_owner").on(table.owner_id, table.created_at)],
);

/** The policy that a page is measured by. */
export const slaAssignments = sqliteTable(
  "sla_assignments",
  {
    status_page_id: text("status_page_id")
      .primaryKey()
      .references(() => statusPages.id, { onDelete: "cascade" }),
    policy_id: text("policy_id")
      .notNull()
      .references(() => slaPolicies.id, { onDelete: "cascade" }),
    ...timestamps(),
  },
  (table) => [index("sla_assignments_policy").on(table.policy_id)],
);

/**
 * A stretch of time that a monitor was on a page which it has left, for another page or for good. Its time counts for that
 * page, in reports of periods that end before and after it left.
 */
export const monitorStays = sqliteTable(
  "monitor_stays",
  {
    status_page_id: text("status_page_id")
      .notNull()
      .references(() => statusPages.id, { onDelete: "cascade" }),
    /** It may be deleted. */
    monitor_id: text("monitor_id").notNull(),
    from_at: instant("from_at").notNull(),
    to_at: instant("to_at").notNull(),
    name: text("name").notNull(),
    /** It was a hidden member of a composite. */
    is_member: flag("is_member").notNull(),
    position: integer("position").notNull(),
    /** Its own target on that page, if it had one. */
    target_percentage: real("target_percentage"),
    /** Of a monitor that was deleted: its history as numbers, three for each interval (data/sla/packed-intervals.ts). */
    intervals: text("intervals"),
  },
  (table) => [
    primaryKey({ columns: [table.status_page_id, table.monitor_id, table.from_at] }),
    index("monitor_stays_page").on(table.status_page_id, table.to_at),
    index("monitor_stays_monitor").on(table.monitor_id),
  ],
);

/** What held for reports of a page until a person changed it, so that a report of a closed period stays as it was. */
export const slaFormerValues = sqliteTable(
  "sla_former_values",
  {
    status_page_id: text("status_page_id")
      .notNull()
      .references(() => statusPages.id, { onDelete: "cascade" }),
    kind: text("kind").$type<SlaFormerKind>().notNull(),
    /** Of a name, the monitor that had it; else empty. */
    monitor_id: text("monitor_id").notNull(),
    until_at: instant("until_at").notNull(),
    value: text("value", { mode: "json" }).$type<unknown>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.status_page_id, table.until_at, table.kind, table.monitor_id] })],
);

/** Targets of single monitors, and of the page where there is no monitor. */
export const slaTargets = sqliteTable(
  "sla_targets",
  {
    id: id(),
    status_page_id: text("status_page_id")
      .notNull()
      .references(() => statusPages.id, { onDelete: "cascade" }),
    monitor_id: text("monitor_id").references(() => monitors.id, { onDelete: "cascade" }),
    target_percentage: real("target_percentage").notNull(),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex("sla_targets_monitor").on(table.status_page_id, table.monitor_id),
    uniqueIndex("sla_targets_page").on(table.status_page_id).where(sql`monitor_id IS NULL`),
    index("sla_targets_of_monitor").on(table.monitor_id),
  ],
);
