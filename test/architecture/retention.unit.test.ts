import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { describe, expect, it } from "vitest";

/**
 * What ends the rows of each table: people, who made them; the row that they belong to; or a sweep, named by its file,
 * after so long. A new table has to say so here, because what nobody ends grows for ever.
 */
const PEOPLE = "whoever made it, or with its page or account";
const HISTORY = "sweeps/retention.ts: the plan's history";

const ENDS: Record<string, string> = {
  account_links: "sweeps/expired.ts: an hour",
  agent_commands: "checks/agent-sweep.ts: a day",
  agent_latest: "with its agent",
  agent_reports: "checks/agent-sweep.ts: a day",
  agents: PEOPLE,
  alarms: "when it is over",
  application_keys: "never: it has one",
  api_tokens: `${PEOPLE}; once expired sweeps/retention.ts: the plan's history`,
  audit_log: `${HISTORY}; sweeps/past-budgets.ts: the oldest, beyond the bytes of the plan`,
  chat_messages: "delivery/sweep.ts: 30 days",
  calendar_feeds: "with its user or schedule",
  saved_views: "with its user, or once it is removed",
  trusted_workflows: PEOPLE,
  chat_accounts: PEOPLE,
  wall_links: "with its user, or once it is revoked",
  chat_link_tokens: "sweeps/expired.ts: when it expires",
  chat_requests: "sweeps/expired.ts: a day",
  status_channels: PEOPLE,
  status_posts: "with its channel",
  check_groups: "with the last of its monitors",
  contact_messages: "delivery/mail.ts: 30 days, or with its contact",
  custom_domains: "features/custom-domains/service.ts: held for a while when a page gave it up",
  daily_rollups: HISTORY,
  deleted_monitors: "checks/reconcile.ts: as soon as the monitor's object knows",
  deliveries: "delivery/sweep.ts: 30 days",
  delivery_budgets: "with its user",
  delivery_attempts: "with its delivery",
  phone_budgets: "with its webhook: one row each",
  webhook_reminders: "with its webhook or monitor",
  monitor_dependencies: "with either of its monitors, or a change of what the monitor depends on",
  monitor_locations: "with its monitor or agent, or a change of the monitor's locations",
  linked_sign_ins: "with its user",
  provider_sessions: "with its session",
  sign_in_providers: "operators; 20 at most",
  mail_budgets: "with its user",
  mail_consents: "with its account; unanswered sweeps/expired.ts: 30 days",
  escalation_notifications: "with its escalation",
  escalation_policies: PEOPLE,
  escalations: `with its incident; of a critical event ${HISTORY}`,
  event_log: HISTORY,
  event_rule_versions: "features/event-rules/service.ts: the newest 50, with their rule",
  event_rules: PEOPLE,
  events: `${HISTORY}; sweeps/past-budgets.ts: the oldest large ones, beyond the bytes of the plan`,
  flapping_monitors: "events/flapping.ts: 10 minutes after the monitor is steady",
  guards: "never has any",
  held_outages: "with its outage",
  idempotency_keys: "sweeps/expired.ts: a day",
  incident_groups: "with its incident",
  incident_monitors: "with its incident",
  incident_templates: PEOPLE,
  incident_updates: "with its incident",
  rule_incidents: "events/rule-incident-ends.ts: when its incident is resolved",
  incidents: `${HISTORY}, if it is resolved and was not published; else ${PEOPLE}`,
  install_tokens: "checks/agent-sweep.ts: when it expires",
  installation: "never: it has one",
  reachable_networks: "never: it has one",
  session_policies: "never: it has one",
  mail_outbox: "delivery/mail.ts: 30 days",
  maintenance: `${HISTORY}, if nothing of it is to come; else ${PEOPLE}`,
  maintenance_coverage: HISTORY,
  maintenance_groups: "with its window",
  maintenance_monitors: "with its window",
  maintenance_occurrences: HISTORY,
  maintenance_updates: "with its window",
  metrics_tokens: "with its user",
  monitor_groups: PEOPLE,
  monitor_stays: HISTORY,
  monitors: PEOPLE,
  notifications: HISTORY,
  notify_contacts: "with its user",
  on_call_schedules: PEOPLE,
  outages: HISTORY,
  page_invitations: "sweeps/expired.ts: a month after it expires",
  page_members: PEOPLE,
  page_transfers: "sweeps/expired.ts: when it expires",
  passkeys: "with its user",
  passwords: "with its user",
  planned_minutes: "checks/planner.ts: a day",
  recovery_codes: "with their user",
  referrals: "with its user",
  secrets: "with its user",
  sessions: "sweeps/expired.ts: when it is over",
  shards: "nothing: one for thirty monitors, and others take the places of those that go",
  sla_assignments: PEOPLE,
  sla_former_values: HISTORY,
  sla_policies: PEOPLE,
  sla_targets: PEOPLE,
  status_intervals: HISTORY,
  status_pages: PEOPLE,
  stored_texts: "with its user",
  subscriber_messages: "delivery/subscriber-messages.ts: 30 days",
  subscribers:
    "delivery/subscriber-messages.ts: a week without confirmation; sweeps/retention.ts: 30 days after leaving",
  transitions: HISTORY,
  two_factors: "with its user",
  upkeep_rounds: "nothing: one for each round",
  push_aliases: "with its monitor",
  ping_keys: "with its page",
  queue_health: "nothing: one for each queue",
  used_challenges: "sweeps/expired.ts: when it expires",
  users: PEOPLE,
  webhooks: PEOPLE,
};

const DATA = resolve(import.meta.dirname, "../../src/data");

describe("every table", () => {
  it("says what ends its rows", async () => {
    const files = readdirSync(DATA, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith("/table.ts"));
    const modules = await Promise.all(files.map((file) => import(`${DATA}/${file}`)));
    const tables = modules.flatMap((module) => Object.values(module)).filter((member) => is(member, SQLiteTable));
    expect(tables.map((table) => getTableName(table)).sort()).toEqual(Object.keys(ENDS).sort());
  });

  it("names files that exist", () => {
    const files = readdirSync(resolve(DATA, ".."), { recursive: true, encoding: "utf8" });
    const named = Object.values(ENDS).flatMap((text) => text.match(/[\w/-]+\.ts/g) ?? []);
    expect(named.filter((file) => !files.includes(file))).toEqual([]);
  });
});
