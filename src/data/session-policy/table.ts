import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { SecondFactorRule } from "../../contract/session-policy.ts";
import { instant } from "../columns.ts";

/** The id of the only row. */
export const ONLY_POLICY = 1;

/** What operators set for all sessions, in one row; null where they left it as it is. */
export const sessionPolicies = sqliteTable("session_policies", {
  id: integer("id").primaryKey(),
  session_ms: integer("session_ms"),
  session_idle_ms: integer("session_idle_ms"),
  second_factor: text("second_factor").$type<SecondFactorRule>(),
  /** From when on it is required. */
  second_factor_from: instant("second_factor_from"),
  /** Addresses and CIDRs from which people use their sessions. */
  allowed_networks: text("allowed_networks", { mode: "json" }).$type<string[]>(),
  updated_at: instant("updated_at").notNull(),
});
