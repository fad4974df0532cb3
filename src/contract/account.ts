import { z } from "zod";
import { Instant } from "./common.ts";
import type { PlanCap } from "./limiter-object.ts";
import { MONITOR_TYPES, REGIONS } from "./monitor-values.ts";
import { Confirmation } from "./passkey.ts";
import { PLANS } from "./plan.ts";
import { QUEUES } from "./queues.ts";
import { Me } from "./session.ts";
import { SecondFactorCode } from "./two-factor.ts";

export const MetricsToken = z
  .object({ token: z.string().meta({ description: "the credential itself, shown this once" }) })
  .meta({ id: "MetricsToken" });

export const Health = z
  .object({
    status: z.enum(["ok", "degraded"]),
    version: z.string(),
    checks: z.object({
      database: z.enum(["ok", "error"]),
      cache: z.enum(["ok", "error"]),
      queue: z.enum(["ok", "error"]),
    }),
    scheduler: z.object({ last_tick_age_s: z.number().int().nullable() }),
    queues: z
      .record(z.enum(QUEUES), z.object({ last_marker_age_s: z.number().int().nullable() }))
      .meta({ description: "a marker goes through every queue once a minute: the age of the last one that arrived" }),
    time: Instant,
  })
  .meta({ id: "Health" });

const Limit = z.number().int().nullable().meta({ description: "null: no limit" });
const Usage = z.object({ monitors: z.number().int(), status_pages: z.number().int() });

export const BillingStatus = z
  .object({
    plan: z.enum(PLANS),
    status: z.enum(["active"]),
    seats: z.object({ used: z.number().int(), limit: Limit }).meta({
      description: "used on all of your pages together; the limit is that of each page",
    }),
    usage: Usage,
    renews_at: Instant.nullable(),
  })
  .meta({ id: "BillingStatus" });

/** What the plan includes of each class, and how much of it is used. */
const PlanCaps = {
  agents: Limit,
  webhooks: Limit,
  secrets: Limit,
  open_incidents: Limit,
  timeline_updates: Limit,
  incident_templates: Limit,
  planned_maintenance: Limit,
  page_subscribers: Limit,
  opened_accounts: Limit,
  stored_text: Limit,
  written_rows: Limit,
  agent_rows: Limit,
  audit_bytes: Limit,
  deliveries: Limit,
  delivery_bytes: Limit,
  mails: Limit,
  subscriber_mails: Limit,
} satisfies Record<PlanCap, typeof Limit>;
const UsedCaps = z.object({
  agents: z.number().int(),
  webhooks: z.number().int(),
  secrets: z.number().int(),
  open_incidents: z.number().int(),
  incident_templates: z.number().int(),
  planned_maintenance: z.number().int(),
  opened_accounts: z.number().int().meta({ description: "with a password, ever" }),
  stored_text: z.number().int().meta({ description: "bytes, as they were counted" }),
  written_rows: z.number().int().meta({ description: "in this hour" }),
  agent_rows: z.number().int().meta({ description: "in this hour" }),
  audit_bytes: z.number().int().meta({ description: "as they were counted" }),
  mails: z.number().int().meta({ description: "today (UTC), to addresses outside of the team" }),
  subscriber_mails: z.number().int().meta({ description: "today (UTC), to subscribers" }),
});

export const TierInfo = z
  .object({
    tier: z.enum(PLANS),
    limits: z.object({
      monitors: Limit,
      min_interval: z.number().int().meta({ description: "seconds" }),
      regions_per_monitor: z.number().int(),
      status_pages: Limit,
      seats_per_page: Limit,
      raw_results_days: z.number().int(),
      history_days: z.number().int(),
      ...PlanCaps,
    }),
    usage: Usage.extend(UsedCaps.shape),
    features: z.object({
      monitor_types: z.array(z.enum(MONITOR_TYPES)),
      beta: z.boolean(),
      regions: z.array(z.enum(REGIONS)),
    }),
  })
  .meta({ id: "TierInfo" });

export const AccountDeletion = z
  .object({
    ...Confirmation.shape,
    code: SecondFactorCode.nullish().meta({ description: "with two-factor sign-in, beside the password" }),
  })
  .meta({ id: "AccountDeletion" });
export type AccountDeletion = z.infer<typeof AccountDeletion>;

/** The entries have the shapes of their lists; those of pages name them. */
const Entries = z.array(z.record(z.string(), z.unknown()));

export const AccountExport = z
  .object({
    version: z.literal(1),
    kind: z.literal("account"),
    exported_at: Instant,
    account: Me,
    api_tokens: Entries,
    sessions: Entries,
    notify_contacts: Entries,
    secrets: Entries,
    status_pages: Entries,
    members: Entries,
    groups: Entries,
    monitors: Entries,
    incidents: Entries,
    incident_templates: Entries,
    maintenance: Entries,
    webhooks: Entries,
    event_rules: Entries,
    escalation_policies: Entries,
    on_call_schedules: Entries,
    sla_policies: Entries,
    subscribers: Entries,
    agents: Entries,
    truncated: z.array(z.string()).meta({ description: "lists that have more entries" }),
  })
  .meta({ id: "AccountExport" });
export type AccountExport = z.infer<typeof AccountExport>;
