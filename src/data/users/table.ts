import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Plan } from "../../contract/plan.ts";
import type { StoredPreferences } from "../../contract/team-notification.ts";
import type { TokenScope } from "../../contract/token.ts";
import { emptyObject, flag, id, instant, timestamps } from "../columns.ts";

export const users = sqliteTable(
  "users",
  {
    id: id(),
    email: text("email").notNull().unique(),
    name: text("name").notNull(),
    /** null = the operator's default plan. */
    plan: text("plan").$type<Plan>(),
    /** null = what the plan says about beta features. */
    beta: flag("beta"),
    /** When a secret that only the address received was presented, or the operator created the account. */
    email_verified_at: instant("email_verified_at"),
    /** The page owner who created the account; null once the address is verified. */
    vouched_by: text("vouched_by"),
    /** How many accounts this one vouched for, ever. */
    opened_accounts: integer("opened_accounts").notNull().default(0),
    operator: flag("operator").notNull().default(false),
    preferences: text("preferences", { mode: "json" }).$type<StoredPreferences>().notNull().default(emptyObject),
    /** An operator shut the holder out; what the account owns goes on. */
    deactivated_at: instant("deactivated_at"),
    /** Nobody signs in any more; the sweep removes what is left. */
    deleted_at: instant("deleted_at"),
    ...timestamps(),
  },
  (table) => [
    index("users_deactivated").on(table.deactivated_at).where(sql`deactivated_at IS NOT NULL`),
    index("users_deleted").on(table.deleted_at).where(sql`deleted_at IS NOT NULL`),
    index("users_operators").on(table.id).where(sql`operator = 1`),
  ],
);

/** Workflows of GitHub Actions that get API tokens of this account by what GitHub says of them, without a stored secret. */
export const trustedWorkflows = sqliteTable(
  "trusted_workflows",
  {
    id: id(),
    user_id: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** In lower case: GitHub takes both for the same. */
    repository: text("repository").notNull(),
    /** Of the repository that used it first: a later one of this name is another. */
    repository_id: text("repository_id"),
    /** null = any. */
    branch: text("branch"),
    environment: text("environment"),
    scopes: text("scopes", { mode: "json" }).$type<TokenScope[]>().notNull(),
    /** null = every page of its user, and what is on none. */
    status_page_ids: text("status_page_ids", { mode: "json" }).$type<string[]>(),
    lifetime_minutes: integer("lifetime_minutes").notNull(),
    last_used_at: instant("last_used_at"),
    ...timestamps(),
  },
  (table) => [index("trusted_workflows_user").on(table.user_id, table.created_at)],
);

export const apiTokens = sqliteTable(
  "api_tokens",
  {
    id: id(),
    user_id: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    token_hash: text("token_hash").notNull().unique(),
    token_prefix: text("token_prefix").notNull(),
    /** Of the secret before the last rotation, which is accepted until then. */
    former_hash: text("former_hash"),
    former_until: instant("former_until"),
    /** When that secret was presented last: somebody still has to change over. */
    former_used_at: instant("former_used_at"),
    last_used_at: instant("last_used_at"),
    expires_at: instant("expires_at"),
    /** null = everything that its user may. */
    scopes: text("scopes", { mode: "json" }).$type<TokenScope[]>(),
    /** null = every page of its user, and what is on none. */
    status_page_ids: text("status_page_ids", { mode: "json" }).$type<string[]>(),
    /** Addresses and CIDRs from which it is accepted; null = from anywhere. */
    allowed_networks: text("allowed_networks", { mode: "json" }).$type<string[]>(),
    /** For whose run it was made, with which it ends; null for any other. */
    trusted_workflow_id: text("trusted_workflow_id").references(() => trustedWorkflows.id, { onDelete: "cascade" }),
    ...timestamps(),
  },
  (table) => [
    index("api_tokens_workflow").on(table.trusted_workflow_id).where(sql`trusted_workflow_id IS NOT NULL`),
    index("api_tokens_user").on(table.user_id, table.created_at),
    index("api_tokens_former").on(table.former_hash).where(sql`former_hash IS NOT NULL`),
  ],
);
