import { sql } from "drizzle-orm";
import { index, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { PolicyPeriod } from "../../contract/sla.ts";
import { flag, id, timestamps } from "../columns.ts";
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
