import { sql } from "drizzle-orm";
import { index, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { AgentNetwork, AgentReportKind, AgentStatus } from "../../contract/agent.ts";
import type { AgentCommandType } from "../../contract/agent-command.ts";
import { emptyList, emptyObject, flag, id, instant, timestamps } from "../columns.ts";
import type { PackedResult } from "../monitors/table.ts";
import { statusPages } from "../status-pages/table.ts";
import { users } from "../users/table.ts";

export const agents = sqliteTable(
  "agents",
  {
    id: id(),
    owner_id: text("owner_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    created_by: text("created_by").notNull(),
    status_page_id: text("status_page_id").references(() => statusPages.id, { onDelete: "set null" }),
    name: text("name").notNull(),
    hostname: text("hostname"),
    region: text("region"),
    version: text("version"),
    os: text("os"),
    arch: text("arch"),
    /** Monitors may name it beside other locations, each of which votes. */
    is_location: flag("is_location").notNull().default(false),
    /** Only monitors of its page run on it, instead of any of its owner's. */
    own_page_only: flag("own_page_only").notNull().default(false),
    /** That it calls from; null where the platform does not say. */
    network: text("network", { mode: "json" }).$type<AgentNetwork>(),
    capabilities: text("capabilities", { mode: "json" }).$type<string[]>().notNull().default(emptyList),
    /** SHA-256 of its credential; null until it is enrolled. */
    token_hash: text("token_hash"),
    /** The credential that takes the place of the present one with its first use. */
    next_token_hash: text("next_token_hash"),
    /** Whose install token it was enrolled with last; null where a release before recorded nobody. */
    enrolled_by: text("enrolled_by"),
    status: text("status").$type<AgentStatus>().notNull().default("offline"),
    last_seen_at: instant("last_seen_at"),
    enrolled_at: instant("enrolled_at"),
    ...timestamps(),
  },
  (table) => [
    index("agents_owner").on(table.owner_id, table.created_at),
    index("agents_page").on(table.status_page_id, table.created_at),
    uniqueIndex("agents_token").on(table.token_hash),
    uniqueIndex("agents_next_token").on(table.next_token_hash),
    // Without last_seen_at, which each report writes: a row of the index costs as much as a thousand rows read.
    index("agents_online").on(table.status).where(sql`status = 'online'`),
  ],
);

/** Each lets one agent enrol, once. */
export const installTokens = sqliteTable(
  "install_tokens",
  {
    id: id(),
    token_hash: text("token_hash").notNull(),
    owner_id: text("owner_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    created_by: text("created_by").notNull(),
    /** The agent that it enrols; null = one that has its hostname, else a new one. */
    agent_id: text("agent_id").references(() => agents.id, { onDelete: "cascade" }),
    status_page_id: text("status_page_id").references(() => statusPages.id, { onDelete: "cascade" }),
    expires_at: instant("expires_at").notNull(),
    created_at: instant("created_at").notNull(),
  },
  (table) => [
    uniqueIndex("install_tokens_token").on(table.token_hash),
    index("install_tokens_age").on(table.expires_at),
    index("install_tokens_creator").on(table.created_by),
  ],
);

/** Reports of agents about their hosts. The id is derived from the content, so that a repeat is stored once. */
export const agentReports = sqliteTable(
  "agent_reports",
  {
    id: id(),
    agent_id: text("agent_id")
      .notNull()
      .references(() => agents.id, { onDelete: "cascade" }),
    kind: text("kind").$type<AgentReportKind>().notNull(),
    at: instant("at").notNull(),
    data: text("data", { mode: "json" }).$type<Record<string, unknown>>().notNull(),
  },
  (table) => [
    index("agent_reports_agent").on(table.agent_id, table.kind, table.at),
    index("agent_reports_age").on(table.at),
  ],
);

export const agentCommands = sqliteTable(
  "agent_commands",
  {
    id: id(),
    agent_id: text("agent_id")
      .notNull()
      .references(() => agents.id, { onDelete: "cascade" }),
    type: text("type").$type<AgentCommandType>().notNull(),
    params: text("params", { mode: "json" }).$type<Record<string, unknown>>().notNull().default(emptyObject),
    created_at: instant("created_at").notNull(),
    acked_at: instant("acked_at"),
    ok: flag("ok"),
    result: text("result", { mode: "json" }).$type<unknown>(),
    error: text("error"),
  },
  (table) => [
    index("agent_commands_waiting").on(table.agent_id, table.created_at).where(sql`acked_at IS NULL`),
    index("agent_commands_agent").on(table.agent_id, table.created_at),
    index("agent_commands_age").on(table.created_at),
  ],
);

/** The newest result of every monitor of an agent, packed. Results themselves lie in the agent's prober object. */
export const agentLatest = sqliteTable(
  "agent_latest",
  {
    agent_id: text("agent_id")
      .primaryKey()
      .references(() => agents.id, { onDelete: "cascade" }),
    latest: text("latest", { mode: "json" }).$type<AgentPackedResult[]>().notNull().default(emptyList),
    /** When the first of them ends to be valid, in whole minutes; null while none does. */
    look_at: instant("look_at"),
  },
  (table) => [index("agent_latest_due").on(table.look_at).where(sql`look_at IS NOT NULL`)],
);

/** `checked_at` is 0 where the agent has not measured the monitor yet. */
export type AgentPackedResult = [
  ...PackedResult,
  /** The monitor is unknown afterwards; null where that is settled. */
  valid_until: number | null,
];
