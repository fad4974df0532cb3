import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { IncidentStatus } from "../../contract/incident.ts";
import type { IncidentSeverity } from "../../contract/monitor-values.ts";
import { flag, id, timestamps } from "../columns.ts";
import { statusPages } from "../status-pages/table.ts";

/** Texts that people prepare for incidents to come. */
export const incidentTemplates = sqliteTable(
  "incident_templates",
  {
    id: id(),
    owner_id: text("owner_id").notNull(),
    created_by: text("created_by").notNull(),
    status_page_id: text("status_page_id")
      .notNull()
      .references(() => statusPages.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    title: text("title").notNull(),
    severity: text("severity").$type<IncidentSeverity>().notNull(),
    status: text("status").$type<IncidentStatus>().notNull(),
    initial_update: text("initial_update"),
    is_public: flag("is_public").notNull(),
    ...timestamps(),
  },
  (table) => [
    index("incident_templates_page").on(table.status_page_id, table.name, table.id),
    index("incident_templates_owner").on(table.owner_id),
  ],
);
export type IncidentTemplateRecord = typeof incidentTemplates.$inferSelect;
