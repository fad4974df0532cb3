import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { GroupRole, ProviderKind } from "../../contract/sign-in.ts";
import { emptyList, flag, id, timestamps } from "../columns.ts";

/** Providers of sign-in that operators added; those of the setting have no row. */
export const signInProviders = sqliteTable("sign_in_providers", {
  /** Part of its addresses, as an operator chose it. */
  id: id(),
  kind: text("kind").$type<ProviderKind>().notNull(),
  name: text("name").notNull(),
  issuer: text("issuer").notNull(),
  client_id: text("client_id").notNull(),
  /** Of the client; "" for a public one. */
  sealed: text("sealed").notNull(),
  account_domains: text("account_domains", { mode: "json" }).$type<string[]>().notNull().default(emptyList),
  required_domains: text("required_domains", { mode: "json" }).$type<string[]>().notNull().default(emptyList),
  trusts_addresses: flag("trusts_addresses").notNull().default(false),
  /** Addresses of required domains that may use a password all the same. */
  break_glass: text("break_glass", { mode: "json" }).$type<string[]>().notNull().default(emptyList),
  /** The claim that is false of whom the provider shut out; null: none says so. */
  active_claim: text("active_claim"),
  /** The claim that lists groups of people; null: none does. */
  groups_claim: text("groups_claim"),
  group_roles: text("group_roles", { mode: "json" })
    .$type<(GroupRole & { granted_by: string })[]>()
    .notNull()
    .default(emptyList),
  /** Whether it is asked again while a session goes on. */
  refreshes_sessions: flag("refreshes_sessions").notNull().default(false),
  is_enabled: flag("is_enabled").notNull().default(true),
  ...timestamps(),
});
