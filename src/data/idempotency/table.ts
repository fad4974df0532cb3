import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
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
