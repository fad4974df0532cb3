import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { timestamps } from "../columns.ts";
import { users } from "../users/table.ts";

/** The credential of a user's Prometheus; one per user, stored as its SHA-256. */
export const metricsTokens = sqliteTable("metrics_tokens", {
  user_id: text("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  token_hash: text("token_hash").notNull().unique(),
  ...timestamps(),
});
