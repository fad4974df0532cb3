import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ActorType } from "../../contract/audit.ts";
import { emptyObject, id, instant } from "../columns.ts";

/** Append-only: rows are deleted by the sweeps of retention and of audit budgets alone. */
export const auditLog = sqliteTable(
  "audit_log",
  {
    id: id(),
    owner_id: text("owner_id").notNull(),
    event_type: text("event_type").notNull(),
    actor_type: text("actor_type").$type<ActorType>().notNull(),
    actor_id: text("actor_id"),
    actor_name: text("actor_name").notNull(),
    monitor_id: text("monitor_id"),
    status_page_id: text("status_page_id"),
    target_type: text("target_type").notNull(),
    target_id: text("target_id"),
    summary: text("summary").notNull(),
    data: text("data", { mode: "json" }).$type<Record<string, unknown>>().notNull().default(emptyObject),
    ip: text("ip"),
    created_at: instant("created_at").notNull(),
  },
  (table) => [
    // For the name of an account that is deleted.
    index("audit_log_actor").on(table.actor_name),
    index("audit_log_owner").on(table.owner_id, table.created_at),
    index("audit_log_page").on(table.status_page_id, table.created_at),
    index("audit_log_monitor").on(table.monitor_id, table.created_at),
  ],
);
