import { z } from "zod";
import { ManualCheckResult } from "./check.ts";
import { ExternalKey, Id, Instant, InstantInput, Name } from "./common.ts";
import { JourneyStep } from "./journey.ts";
import { LOCATIONS_MAX, Location } from "./location.ts";
import {
  INCIDENT_SEVERITIES,
  MONITOR_STATUSES,
  MONITOR_TYPES,
  type MonitorStatus,
  type MonitorType,
  REGION_POLICIES,
  REGIONS,
} from "./monitor-values.ts";
import { Notice } from "./notices.ts";
import { Tags } from "./tags.ts";

/** What stands in place of a secret for readers who may not see it; sent back, it keeps the stored value. */
export const SECRET_PLACEHOLDER = "***";

export const INTERVAL_MIN_S = 10;
const DAY_S = 86_400;
const THRESHOLD_MAX = 20;
const LATENCY_MAX_MS = 60_000;
export const CHILDREN_MAX = 50;
export const PARENTS_MAX = 10;
const ORDER_MAX = 1000;

const Threshold = z.int().min(1).max(THRESHOLD_MAX);

/** Absent: keep (on creation: the default). null: clear, so that the default holds again. */
const SETTINGS = {
  target: z.string().trim().max(2048).nullish(),
  status_page_id: Id.nullish(),
  group_id: Id.nullish().meta({ description: "a group of the same status page" }),
  agent_id: Id.nullish().meta({ description: "the agent that runs the checks; needed for private targets" }),
  interval: z
    .int()
    .min(INTERVAL_MIN_S)
    .max(DAY_S)
    .nullish()
    .meta({ description: "seconds between checks; default 60" }),
  timeout_seconds: z.int().min(1).max(30).nullish().meta({ description: "default 10; at most the interval" }),
  failure_threshold: Threshold.nullish().meta({ description: "default 3, push monitors 1" }),
  recovery_threshold: Threshold.nullish().meta({ description: "default 2, push monitors 1" }),
  retry_interval: z.int().min(5).max(300).nullish().meta({ description: "default: the interval, at most 20 s" }),
  latency_threshold_ms: z.int().min(1).max(LATENCY_MAX_MS).nullish(),
  regions: z
    .array(z.enum(REGIONS))
    .max(REGIONS.length)
    .nullish()
    .meta({ description: "the edge's part of `locations`; none: wherever the checker runs" }),
  locations: z.array(Location).max(LOCATIONS_MAX).nullish().meta({
    description:
      "all that check it and vote in each round: regions, agents of its owner that are marked as locations (`agent:<id>`), and beside agents `default`, wherever the edge runs",
  }),
  region_policy: z.enum(REGION_POLICIES).nullish().meta({
    description: "how many locations have to fail; default majority; at_least:<n> names at most as many as there are",
  }),
  confirm_outside: z.boolean().nullish().meta({
    description:
      "an outage that the edge finds needs an agent of another network that fails, too, or cannot check; else the monitor is degraded. Agents among `locations` vote on it; where there is none, an online location of the owner is asked, which takes five seconds at most. null: wherever such an agent is at hand",
  }),
  auto_create_incident: z.boolean().nullish().meta({ description: "null: as the status page says" }),
  auto_publish_incident: z.boolean().nullish().meta({ description: "null: as the status page says" }),
  incident_severity: z.enum(INCIDENT_SEVERITIES).nullish(),
  child_ids: z.array(Id).max(CHILDREN_MAX).nullish().meta({ description: "members, for type composite only" }),
  depends_on: z.array(Id).max(PARENTS_MAX).nullish().meta({
    description:
      "monitors of the same owner: while one of them is down, outages of this one are held and join its incident",
  }),
  tags: Tags.nullish(),
  external_key: ExternalKey.nullish(),
  paused: z.boolean().nullish(),
  muted_until: InstantInput.nullish().meta({
    description:
      "until then nobody is notified of outages that begin; one that lasts longer is announced then; at most 30 days ahead",
  }),
};

/** What a list of monitors may be narrowed to; several values of one name are alternatives. */
export interface MonitorFilter {
  status?: MonitorStatus[];
  type?: MonitorType[];
  tag?: string[];
  group_id?: string[];
  status_page_id?: string[];
  external_key?: string[];
  q?: string;
  certificate_expires_before?: number;
  domain_expires_before?: number;
}

/** Orders of the dashboard's list; ties follow the order that was set. */
export const MONITOR_SORTS = ["position", "name", "status", "since", "page", "group"] as const;
export type MonitorSort = (typeof MONITOR_SORTS)[number];

// Loose, because each monitor type adds its own fields: features/monitors/schemas.ts.
export const MonitorCreate = z.looseObject({ name: Name, type: z.enum(MONITOR_TYPES), ...SETTINGS });
export type MonitorCreate = z.infer<typeof MonitorCreate>;

export const MonitorUpdate = z.looseObject({
  name: Name.optional(),
  type: z.enum(MONITOR_TYPES).optional(),
  ...SETTINGS,
});
export type MonitorUpdate = z.infer<typeof MonitorUpdate>;

export const Monitor = z.looseObject({
  id: Id,
  name: z.string(),
  type: z.enum(MONITOR_TYPES),
  target: z.string().nullable(),
  interval: z.int(),
  status: z.enum(MONITOR_STATUSES),
  status_since: Instant,
  status_page_id: Id.nullable(),
  group_id: Id.nullable(),
  agent_id: Id.nullable(),
  is_internal: z.boolean().meta({ description: "the target is private and runs through agent_id" }),
  parent_monitor_id: Id.nullable().meta({ description: "the composite that it is a member of" }),
  child_ids: z.array(Id),
  timeout_seconds: z.int(),
  failure_threshold: z.int(),
  recovery_threshold: z.int(),
  retry_interval: z.int(),
  latency_threshold_ms: z.int().nullable(),
  regions: z.array(z.enum(REGIONS)),
  locations: z.array(Location).meta({ description: "its regions, and the agents that vote with them" }),
  region_policy: z.enum(REGION_POLICIES),
  confirm_outside: z.boolean().nullable(),
  locations_down: z
    .array(z.string())
    .meta({ description: "which of several locations failed in the newest round, also where others outvoted them" }),
  auto_create_incident: z.boolean().nullable(),
  auto_publish_incident: z.boolean().nullable(),
  incident_severity: z.enum(INCIDENT_SEVERITIES),
  depends_on: z.array(Id).meta({ description: "those of them that you may see" }),
  waits_for: z.array(z.string()).meta({ description: "names of those of them that are down" }),
  tags: z.array(z.string()),
  external_key: z.string().nullable(),
  paused: z.boolean(),
  muted_until: Instant.nullable(),
  flapping: z
    .boolean()
    .meta({ description: "it changes so often that deliveries about it wait; only the latest is sent" }),
  last_check: Instant.nullable().meta({
    description: "or push; of pushed monitors, a list knows it for the first 100 of an answer",
  }),
  last_latency_ms: z.number().nullable(),
  last_message: z.string().nullable(),
  next_check_at: Instant.nullable().meta({
    description: "null: paused, or not checked by a schedule; in the past while that check is late",
  }),
  next_expected_at: Instant.nullable().meta({
    description:
      "of a heartbeat: when the next one is due; null before the first and while paused; a list knows it for the first 100 of an answer",
  }),
  certificate_expires_at: Instant.nullable().meta({
    description:
      "of type ssl: when the certificate expires that the newest check saw; of https addresses of type http and https: likewise, read a few times a day; else null",
  }),
  domain_expires_at: Instant.nullable().meta({
    description: "of type domain: when the registration expires that the newest check saw; else null",
  }),
  heartbeat_token: z
    .string()
    .nullable()
    .meta({ description: "of a heartbeat, for whoever may edit it; null in lists" }),
  push_key: z.string().nullable().meta({ description: "likewise, of monitors that metrics are pushed to" }),
  push_urls: z.record(z.string(), z.string()).nullable().meta({ description: "addresses to push to, ready to paste" }),
  notices: z.array(Notice).meta({ description: "what follows from its settings and is easily overlooked" }),
  created_at: Instant,
  updated_at: Instant,
});
export type Monitor = z.infer<typeof Monitor>;

/** What of a monitor is stored encrypted: headers, bodies and steps, and the target where it has a password or a query. */
export const MonitorSecrets = z.object({
  target: z.string().optional(),
  http_headers: z.string().optional(),
  http_body: z.string().optional(),
  steps: z.array(JourneyStep).optional(),
});
export type MonitorSecrets = z.infer<typeof MonitorSecrets>;

export const CheckReport = ManualCheckResult.extend({ checked_at: Instant }).meta({ id: "CheckReport" });

export const DryRunReport = CheckReport.extend({
  regions: z.array(CheckReport).meta({ description: "of each region that is named, in that order" }),
}).meta({ id: "DryRunReport", description: "the result of the first region, and of all" });

const Placed = z.object({ id: Id, order: z.int().min(0).max(1_000_000) });
export const OrderList = z.array(Placed).min(1).max(ORDER_MAX);
export type OrderList = z.infer<typeof OrderList>;

export const MonitorOrder = z.object({ monitors: OrderList }).meta({ id: "MonitorOrder" });
export const OrderResult = z.object({ updated: z.int() }).meta({ id: "OrderResult" });

export const MonitorClone = z
  .object({
    name: Name.optional().meta({ description: "default: the name of the original, marked as a copy" }),
    status_page_id: Id.nullish().meta({ description: "default: the page of the original; null: none" }),
  })
  .meta({ id: "MonitorClone" });
export type MonitorClone = z.infer<typeof MonitorClone>;

export const BULK_MAX = 100;
export const BULK_ACTIONS = ["pause", "resume", "delete", "update"] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

const Word = z.string().trim().min(1).max(200);
/** As in the query of a list: several values are alternatives. */
const anyOf = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (typeof value === "string" ? value.split(",") : value), z.array(schema).min(1).max(BULK_MAX));

export const MonitorBulkFilter = z
  .object({
    status: anyOf(z.enum(MONITOR_STATUSES)),
    type: anyOf(z.enum(MONITOR_TYPES)),
    tag: anyOf(Word),
    group_id: anyOf(Id),
    status_page_id: anyOf(Id),
    external_key: anyOf(Word),
    q: Word,
    certificate_expires_before: InstantInput,
    domain_expires_before: InstantInput,
  })
  .partial()
  .refine((filter) => Object.values(filter).some((value) => value !== undefined), "must name at least one condition");

export const BulkResult = z
  .object({
    updated: z.int(),
    failed: z.array(z.object({ id: Id, error: z.string() })).meta({ description: "those left as they were, and why" }),
  })
  .meta({ id: "MonitorBulkResult" });
export type BulkResult = z.infer<typeof BulkResult>;
