import { z } from "zod";
import { HOUR_MS } from "../lib/durations.ts";
import { printable, printableJson, printableLine } from "../lib/printable.ts";
import { CHECK_STATUSES, Evidence } from "./check.ts";
import { Id, Instant, InstantInput, NAME_LENGTH_MAX, Name, TAKES_ONE } from "./common.ts";
import { AgentDiscovery } from "./discovery.ts";
import { MONITOR_STATUSES, MONITOR_TYPES, REGIONS } from "./monitor-values.ts";
import { Observation } from "./observation.ts";
import { PhaseTimes } from "./phases.ts";

export const AGENT_STATUSES = ["online", "offline"] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

export const AGENT_REPORT_KINDS = ["metric", "event", "discovery"] as const;
export type AgentReportKind = (typeof AGENT_REPORT_KINDS)[number];

/**
 * Among the capabilities of an agent program: that it runs the steps of journeys, knows the rules of checks, and checks once
 * what another network cannot reach.
 */
export const AGENT_SKILLS = ["steps", "rules", "confirm"] as const;

/** Fields of monitors that a program without the skill would read over, and call the result that of the monitor. */
const SKILLED_FIELDS: Readonly<Record<string, (typeof AGENT_SKILLS)[number]>> = {
  steps: "steps",
  invert: "rules",
  hours: "rules",
  tcp_protocol: "rules",
  degraded_when: "rules",
  expected_headers: "rules",
  certificate_days_min: "rules",
};

/**
 * The first of a monitor's own fields that a program does not know; undefined where it knows all. One that says what it
 * can, and not this, is too old; one that says nothing is taken at its word.
 */
export function unknownField(capabilities: readonly string[], options: Record<string, unknown>): string | undefined {
  if (capabilities.length === 0) return undefined;
  return Object.entries(SKILLED_FIELDS).find(([field, skill]) => {
    const value = options[field];
    const isUsed = Array.isArray(value) ? value.length > 0 : (value ?? false) !== false;
    return isUsed && !capabilities.includes(skill);
  })?.[0];
}

export const RESULT_STATUSES = ["up", "down", "degraded"] as const;
export type ResultStatus = (typeof RESULT_STATUSES)[number];

/** Agents call at least this often; one without a call for AGENT_OFFLINE_AFTER_MS is offline. */
export const AGENT_HEARTBEAT_S = 30;
export const AGENT_POLL_S = 30;
export const AGENT_OFFLINE_AFTER_MS = 90_000;
/** As many monitors one agent runs at most. */
export const AGENT_MONITORS_MAX = 1_000;

const ITEMS_MAX = 100;
const WORD_MAX = 200;
export const AGENT_MESSAGE_MAX = 10_000;
export const AGENT_JSON_MAX = 16_384;

const Word = z.string().overwrite(printableLine).max(WORD_MAX);
const Message = z.string().overwrite(printable).max(AGENT_MESSAGE_MAX);
/** Members of the agent's own choice; bounded, because it is kept. */
export const Bag = z
  .record(z.string().max(WORD_MAX), z.unknown())
  .overwrite(printableJson)
  .refine(
    (value) => JSON.stringify(value).length <= AGENT_JSON_MAX,
    `must take at most ${AGENT_JSON_MAX} characters as JSON`,
  );

export const AgentCreate = z
  .object({
    name: Name,
    hostname: Word.nullish(),
    region: Word.nullish(),
    status_page_id: Id.nullish().meta({ description: "null: the agent belongs to you alone" }),
    is_location: z
      .boolean()
      .nullish()
      .meta({ description: "monitors may name it among their `locations`, as `agent:<id>`; default false" }),
    own_page_only: z
      .boolean()
      .nullish()
      .meta({ description: "only monitors of its status page may run on it; default false: any of its owner's" }),
  })
  .meta({ id: "AgentCreate" });
export type AgentCreate = z.infer<typeof AgentCreate>;

export const AgentUpdate = AgentCreate.partial().meta({ id: "AgentUpdate" });
export type AgentUpdate = z.infer<typeof AgentUpdate>;

/** What is known of a network from an address in it. */
export const AgentNetwork = z
  .object({
    asn: z.int().nullable().meta({ description: "number of the autonomous system" }),
    name: z.string().nullable().meta({ description: "of the organization that runs it" }),
    country: z.string().nullable().meta({ description: "two letters of ISO 3166-1" }),
  })
  .meta({ id: "AgentNetwork" });
export type AgentNetwork = z.infer<typeof AgentNetwork>;

const Pace = z.object({
  checks_per_minute: z.number().min(0).nullable(),
  lateness_ms: z
    .number()
    .min(0)
    .nullable()
    .meta({ description: "95 of 100 checks began no later than this after their time" }),
  clock_offset_ms: z.number().nullable().meta({
    description: "what the clock of its host is corrected by; 0 where it is right",
  }),
});

export const AgentPace = Pace.extend({ measured_at: Instant }).meta({ id: "AgentPace" });

export const Agent = z
  .object({
    id: Id,
    name: z.string(),
    hostname: z.string().nullable(),
    status: z.enum(AGENT_STATUSES),
    region: z.string().nullable(),
    is_location: z.boolean().meta({ description: "monitors may name it among their `locations`" }),
    own_page_only: z.boolean().meta({ description: "only monitors of its status page may run on it" }),
    version: z.string().nullable().meta({ description: "of the agent program; null until it has called" }),
    network: AgentNetwork.nullable().meta({
      description: "that the agent calls from, as Cloudflare knows it; null where the service runs elsewhere",
    }),
    pace: AgentPace.nullable().meta({ description: "of the last minute that was reported, of a day at most" }),
    status_page_id: Id.nullable(),
    last_seen_at: Instant.nullable().meta({ description: "may lag by 20 seconds" }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Agent" });

const percent = z.number().min(0).max(100).nullish();
const Metrics = z.object({
  cpu_percent: percent,
  memory_percent: percent,
  disk_percent: percent,
  load_1: z.number().min(0).nullish(),
  uptime_seconds: z.number().min(0).nullish(),
  ...Pace.partial().shape,
  custom: Bag.nullish(),
});

/** Takes a single one, too; a union of both could not say what is wrong with either. */
const oneOrMany = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(schema).min(1).max(ITEMS_MAX))
    .meta({ [TAKES_ONE]: true });

export const AgentMetricsReport = oneOrMany(Metrics.extend({ collected_at: InstantInput.nullish() }));
export type AgentMetricsReport = z.infer<typeof AgentMetricsReport>;

export const AgentMetrics = z
  .object({
    collected_at: Instant,
    cpu_percent: z.number().nullable(),
    memory_percent: z.number().nullable(),
    disk_percent: z.number().nullable(),
    load_1: z.number().nullable(),
    uptime_seconds: z.number().nullable(),
    ...Pace.shape,
    custom: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "AgentMetrics" });

/** The words of the usual loggers; kept as they were said. */
const LOG_LEVELS = ["debug", "info", "notice", "warn", "warning", "error", "critical", "fatal"] as const;

const LogEvent = z.object({
  level: z.enum(LOG_LEVELS).default("info"),
  type: Word.default(""),
  message: Message.default(""),
  data: Bag.nullish(),
});
export const AgentEventsReport = z
  .object({ events: z.array(LogEvent.extend({ at: InstantInput.nullish() })).max(ITEMS_MAX) })
  .meta({ id: "AgentEventsReport" });
export type AgentEventsReport = z.infer<typeof AgentEventsReport>;

const Found = z.object({
  kind: Word.min(1),
  name: Word.min(1),
  target: z.string().overwrite(printableLine).max(2048).nullish(),
  details: Bag.nullish(),
});
export const AgentDiscoveriesReport = z
  .object({ discoveries: z.array(Found).max(ITEMS_MAX) })
  .meta({ id: "AgentDiscoveriesReport" });
export type AgentDiscoveriesReport = z.infer<typeof AgentDiscoveriesReport>;

export const ReportsAccepted = z
  .object({ accepted: z.int().meta({ description: "how many were taken; what is repeated or too old is not" }) })
  .meta({ id: "ReportsAccepted" });

export const AgentDetail = Agent.extend({
  os: z.string().nullable(),
  arch: z.string().nullable(),
  capabilities: z.array(z.string()).meta({
    description:
      "monitor types that the agent says it can check, `steps` for journeys and `rules` for `invert` and the like, which no agent without it gets; the types restrict no assignment",
  }),
  enrolled_at: Instant.nullable(),
  monitors: z.array(
    z.object({ id: Id, name: z.string(), type: z.enum(MONITOR_TYPES), status: z.enum(MONITOR_STATUSES) }),
  ),
  metrics: AgentMetrics.nullable().meta({ description: "the latest" }),
  events: z.array(
    z.object({ at: Instant, level: z.string(), type: z.string(), message: z.string(), data: z.unknown() }),
  ),
  discoveries: z.array(AgentDiscovery),
}).meta({ id: "AgentDetail" });

export const InstallToken = z
  .object({
    install_token: z.string().meta({ description: "shown this once; good for one enrolment" }),
    expires_at: Instant,
    install_command: z.string().meta({ description: "one line for a shell, also without root" }),
  })
  .meta({ id: "InstallToken" });

/** What an agent says about its host, whenever it starts. */
export const AgentHandshake = z
  .object({
    version: Word.nullish(),
    hostname: Word.nullish(),
    os: Word.nullish(),
    arch: Word.nullish(),
    region: Word.nullish(),
    capabilities: z
      .array(Word)
      .max(ITEMS_MAX)
      .nullish()
      .meta({ description: "monitor types that the agent can check, `steps` and `rules`; shown with the agent" }),
  })
  .meta({ id: "AgentHandshake" });
export type AgentHandshake = z.infer<typeof AgentHandshake>;

export const AgentEnroll = AgentHandshake.extend({
  name: z.string().overwrite(printableLine).min(1).max(NAME_LENGTH_MAX).nullish(),
}).meta({ id: "AgentEnroll" });
export type AgentEnroll = z.infer<typeof AgentEnroll>;

/** The agent program that this service offers. */
export const AgentProgram = z
  .object({
    version: z.string(),
    sha256: z.string().meta({ description: "of the program, in hexadecimal" }),
    url: z.string().meta({ description: "where the program is downloaded, without a credential" }),
  })
  .meta({ id: "AgentProgram" });

const Rhythm = z.object({ heartbeat_interval_seconds: z.int(), poll_interval_seconds: z.int() });
export const AgentEnrolled = z
  .object({
    agent_id: Id,
    agent_token: z.string().meta({ description: "shown this once" }),
    name: z.string(),
    config: Rhythm,
  })
  .meta({ id: "AgentEnrolled" });

export const AgentHandshakeResponse = Rhythm.extend({
  agent_id: Id,
  server_time: Instant,
  latest_version: z.string(),
}).meta({ id: "AgentHandshakeResponse" });

export const AgentAssignment = z
  .object({
    id: Id,
    name: z.string(),
    type: z.enum(MONITOR_TYPES),
    target: z.string(),
    interval: z.int(),
    timeout_seconds: z.int(),
    retry_interval: z.int().meta({ description: "seconds after a failure until the check is repeated" }),
    failure_threshold: z.int(),
    recovery_threshold: z.int(),
    latency_threshold_ms: z.int().nullable(),
    options: z.record(z.string(), z.unknown()).meta({ description: "the settings of the type, secrets included" }),
    secrets: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: "the values that `{{secret.NAME}}` in the steps stands for" }),
    config_version: z.int(),
    is_location: z
      .boolean()
      .optional()
      .meta({ description: "others check it at the same time and vote with it, so that its results cannot wait" }),
    slot_phase_ms: z
      .int()
      .optional()
      .meta({ description: "of a location: it checks at this phase plus any number of intervals since 1970" }),
  })
  .meta({ id: "AgentAssignment" });
export type AgentAssignment = z.infer<typeof AgentAssignment>;

const Result = z.object({
  status: z.enum(RESULT_STATUSES),
  latency_ms: z.number().min(0).max(HOUR_MS).nullish(),
  message: Message.nullish(),
  checked_at: InstantInput.nullish().meta({ description: "when the check began; absent: now" }),
  details: Bag.nullish(),
  evidence: Evidence.nullish().overwrite(printableJson).meta({ description: "what the target answered, of a failure" }),
  phases: PhaseTimes.nullish(),
  observation: Observation.nullish()
    .overwrite(printableJson)
    .meta({ description: "what was seen in full, of the first failure and of the first success after it" }),
});
/** Of one check that the service asked for, as it stands in the answer to a command. */
export const AgentFinding = Result.pick({ status: true, latency_ms: true, message: true, observation: true });
export const AgentResults = oneOrMany(Result);
export type AgentResults = z.infer<typeof AgentResults>;

export const BULK_RESULTS_MAX = 500;
export const AgentBulkResults = z
  .object({
    results: z
      .array(Result.extend({ monitor_id: Id }))
      .min(1)
      .max(BULK_RESULTS_MAX),
  })
  .meta({ id: "AgentBulkResults" });
export type AgentBulkResults = z.infer<typeof AgentBulkResults>;

export const AgentBulkAccepted = ReportsAccepted.extend({
  rejected: z.array(z.object({ index: z.int().meta({ description: "place in `results`" }), error: z.string() })),
}).meta({ id: "AgentBulkAccepted" });

export const AgentResultsAccepted = ReportsAccepted.extend({ status: z.enum(MONITOR_STATUSES) }).meta({
  id: "AgentResultsAccepted",
});

export const RESULT_KINDS = ["check", "start", "log"] as const;
export type ResultKind = (typeof RESULT_KINDS)[number];

export const MonitorResult = z
  .object({
    checked_at: Instant,
    kind: z
      .enum(RESULT_KINDS)
      .meta({ description: "start and log: heartbeats that tell of a job and are no result; check: everything else" }),
    status: z
      .enum(CHECK_STATUSES)
      .nullable()
      .meta({ description: "unknown: the checker itself failed; null: of kind start or log" }),
    latency_ms: z.number().nullable(),
    message: z.string(),
    region: z.string().meta({ description: "default: wherever the check ran, also on an agent" }),
    colo: z
      .string()
      .nullable()
      .meta({ description: "the data centre that it ran in, by the code of its airport, if known" }),
    details: z.record(z.string(), z.unknown()).meta({
      description: "kept of what is no success, and of successes where they changed; empty else",
    }),
  })
  .meta({ id: "MonitorResult" });

export const RESULT_REGIONS = ["default", ...REGIONS] as const;
