import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { RuleAction, RuleCondition, StoredRuleContent } from "../../contract/event-rule.ts";
import type { EventClassification } from "../../contract/events.ts";
import type { RuleEnd } from "../../domain/rule-end.ts";
import { agents } from "../agents/table.ts";
import { emptyList, flag, id, instant, timestamps } from "../columns.ts";
import { incidentTemplates } from "../incident-templates/table.ts";
import { incidents } from "../incidents/table.ts";
import { monitors } from "../monitors/table.ts";
import { statusPages } from "../status-pages/table.ts";

/** A rule of a page with the state of its firing, so that one guarded write decides whether it fires. */
export const eventRules = sqliteTable(
  "event_rules",
  {
    id: id(),
    owner_id: text("owner_id").notNull(),
    created_by: text("created_by").notNull(),
    status_page_id: text("status_page_id")
      .notNull()
      .references(() => statusPages.id, { onDelete: "cascade" }),
    event_name: text("event_name").notNull(),
    display_name: text("display_name").notNull(),
    classification: text("classification").$type<EventClassification>().notNull(),
    conditions: text("conditions", { mode: "json" }).$type<RuleCondition[]>().notNull(),
    actions: text("actions", { mode: "json" }).$type<RuleAction[]>().notNull(),
    /** Sealed `alert_channels`, because chat addresses are credentials; null where there are none. */
    sealed_channels: text("sealed_channels"),
    cooldown_seconds: integer("cooldown_seconds").notNull(),
    max_fires_per_hour: integer("max_fires_per_hour"),
    notify_in_maintenance: flag("notify_in_maintenance").notNull(),
    is_enabled: flag("is_enabled").notNull(),
    // A rule without its monitor or agent would listen to the whole page, so it goes with them.
    monitor_id: text("monitor_id").references(() => monitors.id, { onDelete: "cascade" }),
    agent_id: text("agent_id").references(() => agents.id, { onDelete: "cascade" }),
    incident_template_id: text("incident_template_id").references(() => incidentTemplates.id, { onDelete: "set null" }),
    /** Grows with each change. */
    version: integer("version").notNull(),
    last_fired_at: instant("last_fired_at"),
    fired_at: text("fired_at", { mode: "json" }).$type<number[]>().notNull().default(emptyList),
    /** Grows with each firing. */
    fire_count: integer("fire_count").notNull().default(0),
    ...timestamps(),
  },
  (table) => [
    index("event_rules_page").on(table.status_page_id, table.created_at, table.id),
    index("event_rules_monitor").on(table.monitor_id),
    index("event_rules_agent").on(table.agent_id),
    index("event_rules_template").on(table.incident_template_id),
  ],
);

/** Incidents that rules opened and that end with their cause; a row goes when its incident is resolved. */
export const ruleIncidents = sqliteTable(
  "rule_incidents",
  {
    incident_id: text("incident_id")
      .primaryKey()
      .references(() => incidents.id, { onDelete: "cascade" }),
    // No reference: the end of the rule ends the incident.
    rule_id: text("rule_id").notNull(),
    rule_name: text("rule_name").notNull(),
    ends_with: text("ends_with").$type<RuleEnd["ends_with"]>().notNull(),
    subject_id: text("subject_id"),
    /** Since when the conditions have not held, of one that ends with values. */
    good_since: instant("good_since"),
    /** When values arrived last, and for how long they may stay away before it ends without them. */
    heard_at: instant("heard_at"),
    silence_ms: integer("silence_ms"),
  },
  (table) => [index("rule_incidents_rule").on(table.rule_id)],
);

/** What a rule was before each of its changes. */
export const eventRuleVersions = sqliteTable(
  "event_rule_versions",
  {
    rule_id: text("rule_id")
      .notNull()
      .references(() => eventRules.id, { onDelete: "cascade" }),
    version: integer("version").notNull(),
    content: text("content", { mode: "json" }).$type<StoredRuleContent>().notNull(),
    created_by: text("created_by"),
    created_at: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.rule_id, table.version] })],
);

/** Emitted events and firings of rules. */
export const eventLog = sqliteTable(
  "event_log",
  {
    id: id(),
    owner_id: text("owner_id").notNull(),
    status_page_id: text("status_page_id")
      .notNull()
      .references(() => statusPages.id, { onDelete: "cascade" }),
    event_name: text("event_name").notNull(),
    classification: text("classification").$type<EventClassification>().notNull(),
    title: text("title").notNull(),
    description: text("description"),
    monitor_id: text("monitor_id"),
    agent_id: text("agent_id"),
    payload: text("payload"),
    /** The rule whose firing this is; null for an emitted event. */
    rule_id: text("rule_id"),
    evaluates_rules: flag("evaluates_rules").notNull().default(false),
    ...timestamps(),
  },
  (table) => [
    index("event_log_page").on(table.status_page_id, table.created_at, table.id),
    index("event_log_owner").on(table.owner_id, table.created_at),
  ],
);
