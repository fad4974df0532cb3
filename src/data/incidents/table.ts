import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { IncidentStatus } from "../../contract/incident.ts";
import type { IncidentSeverity } from "../../contract/monitor-values.ts";
import { emptyList, flag, id, instant, timestamps } from "../columns.ts";
import type { HeldRouting } from "../flapping/table.ts";
import { monitorGroups } from "../monitor-groups/table.ts";
import { monitors } from "../monitors/table.ts";
import { statusPages } from "../status-pages/table.ts";

export const incidents = sqliteTable(
  "incidents",
  {
    id: id(),
    owner_id: text("owner_id").notNull(),
    created_by: text("created_by"),
    status_page_id: text("status_page_id")
      .notNull()
      .references(() => statusPages.id, { onDelete: "cascade" }),
    title: text("title").notNull(),
    description: text("description"),
    severity: text("severity").$type<IncidentSeverity>().notNull(),
    status: text("status").$type<IncidentStatus>().notNull(),
    impact: text("impact"),
    tags: text("tags", { mode: "json" }).$type<string[]>().notNull().default(emptyList),
    assigned_to_id: text("assigned_to_id"),
    is_public: flag("is_public").notNull(),
    started_at: instant("started_at").notNull(),
    resolved_at: instant("resolved_at"),
    acknowledged_at: instant("acknowledged_at"),
    acknowledged_by: text("acknowledged_by"),
    /** Set on automatic incidents: the outage (its monitor and the sequence number of its down transition). */
    origin_monitor_id: text("origin_monitor_id").references(() => monitors.id, { onDelete: "set null" }),
    origin_outage_id: text("origin_outage_id").unique(),
    /** The incident that lists it with others that began together: people meet that one alone. */
    bundle_id: text("bundle_id"),
    ...timestamps(),
  },
  (table) => [
    index("incidents_page").on(table.status_page_id, table.started_at),
    index("incidents_owner").on(table.owner_id, table.started_at),
    index("incidents_bundle").on(table.bundle_id).where(sql`bundle_id IS NOT NULL`),
    index("incidents_open_by_people").on(table.owner_id).where(sql`created_by IS NOT NULL AND status <> 'resolved'`),
    index("incidents_open_on_page").on(table.status_page_id).where(sql`status <> 'resolved'`),
    uniqueIndex("incidents_one_open_per_monitor")
      .on(table.origin_monitor_id)
      .where(sql`origin_monitor_id IS NOT NULL AND status <> 'resolved'`),
  ],
);

export const incidentUpdates = sqliteTable(
  "incident_updates",
  {
    id: id(),
    incident_id: text("incident_id")
      .notNull()
      .references(() => incidents.id, { onDelete: "cascade" }),
    status: text("status").$type<IncidentStatus>().notNull(),
    message: text("message").notNull(),
    /** null = the service itself. */
    created_by: text("created_by"),
    ...timestamps(),
  },
  (table) => [index("incident_updates_incident").on(table.incident_id, table.created_at)],
);

export const incidentMonitors = sqliteTable(
  "incident_monitors",
  {
    incident_id: text("incident_id")
      .notNull()
      .references(() => incidents.id, { onDelete: "cascade" }),
    monitor_id: text("monitor_id")
      .notNull()
      .references(() => monitors.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.incident_id, table.monitor_id] }),
    index("incident_monitors_monitor").on(table.monitor_id),
  ],
);

export const incidentGroups = sqliteTable(
  "incident_groups",
  {
    incident_id: text("incident_id")
      .notNull()
      .references(() => incidents.id, { onDelete: "cascade" }),
    group_id: text("group_id")
      .notNull()
      .references(() => monitorGroups.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.incident_id, table.group_id] }),
    index("incident_groups_group").on(table.group_id),
  ],
);

/** Changes to down or degraded that are withheld; a row is deleted when its monitor is up or alerts. */
export const heldOutages = sqliteTable("held_outages", {
  monitor_id: text("monitor_id")
    .primaryKey()
    .references(() => monitors.id, { onDelete: "cascade" }),
  outage_seq: integer("outage_seq").notNull(),
  /** The window, `MUTE`, `RULE`, or `parent:` with the monitor that it depends on. */
  held_by: text("held_by").notNull(),
  /** Changes of the monitor that were announced nevertheless, or before, and whose end was not. */
  announced: text("announced", { mode: "json" }).$type<number[]>().notNull().default(emptyList),
  /** How the alert is routed, where rules were evaluated although it is withheld. */
  routing: text("routing", { mode: "json" }).$type<HeldRouting>(),
});
