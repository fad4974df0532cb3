import { sql } from "drizzle-orm";
import { check, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * D1 has no interactive transactions: a limit that must hold under concurrency is an insert into this table, made only
 * when the limit would be broken. The named constraint refuses it and with it the whole batch. The table stays empty.
 */
export const guards = sqliteTable("guards", { name: text("name").notNull() }, (table) => [
  check("guard_monitors", sql`${table.name} <> 'monitors'`),
  check("guard_status_pages", sql`${table.name} <> 'status_pages'`),
  check("guard_seats", sql`${table.name} <> 'seats'`),
  check("guard_already_member", sql`${table.name} <> 'already_member'`),
  check("guard_event_rules", sql`${table.name} <> 'event_rules'`),
  check("guard_agents", sql`${table.name} <> 'agents'`),
  check("guard_webhooks", sql`${table.name} <> 'webhooks'`),
  check("guard_secrets", sql`${table.name} <> 'secrets'`),
  check("guard_open_incidents", sql`${table.name} <> 'open_incidents'`),
  check("guard_timeline_updates", sql`${table.name} <> 'timeline_updates'`),
  check("guard_incident_templates", sql`${table.name} <> 'incident_templates'`),
  check("guard_planned_maintenance", sql`${table.name} <> 'planned_maintenance'`),
  check("guard_page_subscribers", sql`${table.name} <> 'page_subscribers'`),
  check("guard_opened_accounts", sql`${table.name} <> 'opened_accounts'`),
  check("guard_stored_text", sql`${table.name} <> 'stored_text'`),
  check("guard_written_rows", sql`${table.name} <> 'written_rows'`),
  check("guard_agent_rows", sql`${table.name} <> 'agent_rows'`),
  check("guard_custom_domain", sql`${table.name} <> 'custom_domain'`),
  check("guard_stale", sql`${table.name} <> 'stale'`),
]);
