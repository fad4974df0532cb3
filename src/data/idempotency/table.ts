import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../columns.ts";

/**
 * What a POST with an Idempotency-Key made: enough to present it again, never a secret. The row is part of the batch
 * that made it, so a repeat either finds it or may safely run.
 */
export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    user_id: text("user_id").notNull(),
    route: text("route").notNull(),
    key: text("key").notNull(),
    body_hash: text("body_hash").notNull(),
    status: integer("status").notNull(),
    resource_id: text("resource_id"),
    /** Of requests that make nothing that could be presented again: what was answered; null until then. */
    answer: text("answer", { mode: "json" }).$type<unknown>(),
    created_at: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.user_id, table.route, table.key] }),
    index("idempotency_keys_age").on(table.created_at),
  ],
);

/**
 * D1 has no interactive transactions: a limit that must hold under concurrency is an insert into this table, made only
 * when the limit would be broken. The named constraint refuses it and with it the whole batch. The table stays empty.
 */
export const guards = sqliteTable("guards", { name: text("name").notNull() }, (table) => [
  check("guard_monitors", sql`${table.name} <> 'monitors'`),
  check("guard_status_pages", sql`${table.name} <> 'status_pages'`),
  check("guard_seats", sql`${table.name} <> 'seats'`),
  check("guard_already_member", sql`${table.name} <> 'already_member'`),
  check("guard_stale", sql`${table.name} <> 'stale'`),
]);
