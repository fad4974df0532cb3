import { sql } from "drizzle-orm";
import { check, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** A new name is refused by nothing until a migration gives the table its constraint: `npm run generate`. */
export const GUARD_NAMES = [
  "monitors",
  "status_pages",
  "seats",
  "already_member",
  "event_rules",
  "agents",
  "webhooks",
  "secrets",
  "open_incidents",
  "timeline_updates",
  "incident_templates",
  "planned_maintenance",
  "page_subscribers",
  "opened_accounts",
  "stored_text",
  "written_rows",
  "agent_rows",
  "custom_domain",
  "locations",
  "depends_on",
  "stale",
] as const;
export type GuardName = (typeof GUARD_NAMES)[number];

/** The name of the constraint that refuses the batch when this guard's condition holds. */
export function guardConstraint(name: GuardName): string {
  return `guard_${name}`;
}

/**
 * D1 has no interactive transactions: a limit that must hold under concurrency is an insert into this table, made only
 * when the limit would be broken. The named constraint refuses it and with it the whole batch. The table stays empty.
 */
export const guards = sqliteTable("guards", { name: text("name").notNull() }, (table) =>
  GUARD_NAMES.map((name) => check(guardConstraint(name), sql`${table.name} <> ${sql.raw(`'${name}'`)}`)),
);
