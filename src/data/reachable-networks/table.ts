import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../columns.ts";

/** The id of the only row. */
export const ONLY_ROW = 1;

/** What checks and deliveries of a service on one machine may reach besides EGRESS_ALLOW, in one row. */
export const reachableNetworks = sqliteTable("reachable_networks", {
  id: integer("id").primaryKey(),
  /** Host names, addresses and CIDRs. */
  networks: text("networks", { mode: "json" }).$type<string[]>().notNull(),
  updated_at: instant("updated_at").notNull(),
});
