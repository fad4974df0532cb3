import { z } from "zod";
import { Id, Instant, InstantInput, jsonOrText, LongText, Name } from "./common.ts";
import { EVENT_CLASSIFICATIONS, isCustomEventName } from "./events.ts";
import { MetricName, OPERATORS } from "./push.ts";

const CONDITIONS_MAX = 20;
const ACTIONS_MAX = 10;
const ALERT_CHANNELS_MAX = 100;
const WINDOW_MINUTES_MAX = 24 * 60;
const COOLDOWN_SECONDS_MAX = 7 * 86_400;
const FIRES_PER_HOUR_MAX = 3600;
/** As long as a monitor can be muted. */
const SUPPRESS_SECONDS_MAX = 30 * 86_400;
const PAYLOAD_BYTES_MAX = 16 * 1024;
const TEST_METRICS_MAX = 100;
export const IMPORT_RULES_MAX = 200;
export const RULE_VERSIONS_MAX = 50;
export const BACKTEST_DAYS_MAX = 30;

/** Metrics that the service measures itself; every other name is a pushed custom metric. */
export const RULE_METRICS = [
  "latency_ms",
  "latency_sigma",
  "status_code",
  "error_rate",
  "failure_count",
  "uptime_percentage",
  "heartbeat_age_seconds",
  "locations_down",
  "player_count",
  "fps",
  "cpu_percent",
  "memory_percent",
  "disk_percent",
] as const;

export const RuleCondition = z
  .object({
    metric: MetricName.meta({
      description: `${RULE_METRICS.join(", ")} or a pushed custom metric; latency_sigma is in standard deviations above the baseline of the hour, error_rate and uptime_percentage in percent (without a window, of the last 5 minutes and 24 hours)`,
    }),
    operator: z.enum(OPERATORS),
    value: z.number(),
    window_minutes: z
      .int()
      .min(0)
      .max(WINDOW_MINUTES_MAX)
      .nullish()
      .meta({ description: "the mean over so many minutes is compared; 0 or absent: the newest value" }),
  })
  .meta({ id: "RuleCondition" });
export type RuleCondition = z.infer<typeof RuleCondition>;

export const RULE_ACTION_TYPES = ["suppress_alerts_for", "trigger_runbook"] as const;

export const RuleAction = z
  .discriminatedUnion("type", [
    z.object({
      type: z.literal("suppress_alerts_for"),
      duration_seconds: z.int().min(1).max(SUPPRESS_SECONDS_MAX),
    }),
    z.object({ type: z.literal("trigger_runbook"), webhook_id: Id }),
  ])
  .meta({ id: "RuleAction" });
export type RuleAction = z.infer<typeof RuleAction>;

/** Known events and custom ones share one alphabet, so that a name reads the same in filters, logs and files. */
export const EventName = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9_.:-]{1,100}$/, "must match [A-Za-z0-9_.:-]{1,100}");
const Classification = z.enum(EVENT_CLASSIFICATIONS);

const AlertChannels = z
  .record(EventName, z.string().trim().min(1).max(2048))
  .refine((map) => Object.keys(map).length <= ALERT_CHANNELS_MAX, `must have at most ${ALERT_CHANNELS_MAX} entries`);

const FIELDS = {
  event_name: EventName.meta({ description: "a known event to listen to, or a custom name that the rule emits" }),
  display_name: Name.nullish().meta({ description: "default event_name" }),
  classification: Classification.nullish().meta({ description: "default public" }),
  conditions: jsonOrText(z.array(RuleCondition).max(CONDITIONS_MAX).nullish()).meta({
    description: "JSON array, native or as a string; all must hold, none: always",
  }),
  actions: jsonOrText(z.array(RuleAction).max(ACTIONS_MAX).nullish()).meta({
    description: `JSON array, native or as a string; types ${RULE_ACTION_TYPES.join(", ")}`,
  }),
  alert_channels: jsonOrText(AlertChannels.nullish()).meta({ description: "event name to chat channel" }),
  cooldown_seconds: z.int().min(0).max(COOLDOWN_SECONDS_MAX).nullish().meta({ description: "default 0" }),
  max_fires_per_hour: z
    .int()
    .min(1)
    .max(FIRES_PER_HOUR_MAX)
    .nullish()
    .meta({ description: "within any 60 minutes; default no limit" }),
  notify_in_maintenance: z.boolean().nullish().meta({ description: "default false" }),
  is_enabled: z.boolean().nullish().meta({ description: "default true" }),
  monitor_id: Id.nullish().meta({ description: "listens to this monitor alone" }),
  agent_id: Id.nullish().meta({ description: "listens to this agent alone" }),
  incident_template_id: Id.nullish().meta({
    description:
      "firing opens an incident from this template; on monitor.down in place of the automatic one, resolved with the outage",
  }),
};

export const EventRuleCreate = z.object(FIELDS).meta({ id: "EventRuleCreate" });
export type EventRuleCreate = z.infer<typeof EventRuleCreate>;

/** Omitted fields keep their value; null restores the default. */
export const EventRuleChange = z.object(FIELDS).partial().meta({ id: "EventRuleChange" });
export type EventRuleChange = z.infer<typeof EventRuleChange>;

/** What a rule does, complete: the form that is stored, kept as a version, exported and imported. */
export const EventRuleContent = z.object({
  event_name: EventName,
  display_name: z.string(),
  classification: Classification,
  conditions: z.array(RuleCondition),
  actions: z.array(RuleAction),
  alert_channels: z.record(z.string(), z.string()),
  cooldown_seconds: z.int(),
  max_fires_per_hour: z.int().nullable(),
  notify_in_maintenance: z.boolean(),
  is_enabled: z.boolean(),
  monitor_id: Id.nullable(),
  agent_id: Id.nullable(),
  incident_template_id: Id.nullable(),
});
export type EventRuleContent = z.infer<typeof EventRuleContent>;

/** The content in its columns: alert_channels are sealed. */
export type StoredRuleContent = Omit<EventRuleContent, "alert_channels"> & { sealed_channels: string | null };

/** Conditions and actions are strings that hold JSON, as everywhere in responses. */
export const EventRuleExport = EventRuleContent.extend({ conditions: z.string(), actions: z.string() }).meta({
  id: "EventRuleExport",
});
export type EventRuleExport = z.infer<typeof EventRuleExport>;

export const EventRule = EventRuleExport.extend({
  id: Id,
  status_page_id: Id,
  last_fired_at: Instant.nullable(),
  created_at: Instant,
  updated_at: Instant,
}).meta({ id: "EventRule" });
export type EventRule = z.infer<typeof EventRule>;

export const EventRuleVersion = z
  .object({
    version: z.int().min(1),
    rule: EventRuleExport.meta({ description: "as it was before the change" }),
    created_by: Id.nullable(),
    created_at: Instant,
    updated_at: Instant.meta({ description: "as created_at: a version does not change" }),
  })
  .meta({ id: "EventRuleVersion" });
export type EventRuleVersion = z.infer<typeof EventRuleVersion>;

export const RULE_FILE_VERSION = 1;
export const RULE_FILE_KIND = "event_rules";
export const RULE_FILE_FORMATS = ["json", "yaml"] as const;
export type RuleFileFormat = (typeof RULE_FILE_FORMATS)[number];

export const EventRuleFile = z
  .object({
    version: z.literal(RULE_FILE_VERSION),
    kind: z.literal(RULE_FILE_KIND),
    rules: z.array(EventRuleExport),
  })
  .meta({ id: "EventRuleFile" });
export type EventRuleFile = z.infer<typeof EventRuleFile>;

export const EventRuleImport = z
  .object({
    version: z.literal(RULE_FILE_VERSION, `must be ${RULE_FILE_VERSION}`),
    kind: z.literal(RULE_FILE_KIND, `must be ${RULE_FILE_KIND}`),
    rules: z.array(EventRuleCreate).min(1).max(IMPORT_RULES_MAX),
  })
  .meta({ id: "EventRuleImport" });
export type EventRuleImport = z.infer<typeof EventRuleImport>;

export const EventRulesImported = z
  .object({ created: z.array(EventRule), warnings: z.array(z.string()) })
  .meta({ id: "EventRulesImported" });

/** What a repetition of an import is answered from. */
export const EventRulesStored = z.object({ rule_ids: z.array(Id), warnings: z.array(z.string()) });
export type EventRulesStored = z.infer<typeof EventRulesStored>;

export const EventRuleExportQuery = z.object({ format: z.enum(RULE_FILE_FORMATS).default("json") });

const NumericMetrics = z
  .record(MetricName, z.number())
  .refine((map) => Object.keys(map).length <= TEST_METRICS_MAX, `must have at most ${TEST_METRICS_MAX} metrics`);

export const EventRuleTest = z
  .object({
    monitor_id: Id.nullish().meta({ description: "its present metrics fill what metrics leaves out" }),
    metrics: NumericMetrics.nullish().meta({ description: "values to compare, over any window" }),
  })
  .meta({ id: "EventRuleTest" });
export type EventRuleTest = z.infer<typeof EventRuleTest>;

export const ConditionResult = z
  .object({
    metric: z.string(),
    operator: z.enum(OPERATORS),
    value: z.number(),
    window_minutes: z.int().nullable(),
    actual: z.number().nullable().meta({ description: "null: not measured, and the condition does not hold" }),
    passed: z.boolean(),
  })
  .meta({ id: "ConditionResult" });
export type ConditionResult = z.infer<typeof ConditionResult>;

export const EventRuleTestResult = z
  .object({
    would_fire: z.boolean(),
    conditions: z.array(ConditionResult),
    cooldown: z.object({
      active: z.boolean(),
      remaining_seconds: z.int(),
      last_fired_at: Instant.nullable(),
    }),
    actions: z.array(RuleAction),
  })
  .meta({ id: "EventRuleTestResult" });

export const BacktestQuery = z.object({
  days: z.coerce.number().int().min(1).max(BACKTEST_DAYS_MAX).default(7),
  monitor_id: Id.optional(),
});
export type BacktestQuery = z.infer<typeof BacktestQuery>;

export const BacktestResult = z
  .object({
    would_have_fired: z.int(),
    fires: z.array(Instant),
    from: Instant,
    to: Instant,
  })
  .meta({ id: "BacktestResult" });

/** A payload is kept as the string that it is answered as; a string that holds no JSON is refused. */
const Payload = jsonOrText(z.unknown().transform((value) => value ?? undefined)).refine(
  (value) => value === undefined || new TextEncoder().encode(JSON.stringify(value)).length <= PAYLOAD_BYTES_MAX,
  `must be at most ${PAYLOAD_BYTES_MAX} bytes of JSON`,
);

export const EventEmit = z
  .object({
    event_name: EventName.refine(isCustomEventName, "must not be the name of an event of the service").meta({
      description: "a custom name",
    }),
    classification: Classification.nullish().meta({ description: "default public" }),
    title: Name.nullish().meta({ description: "default event_name" }),
    description: LongText.nullish(),
    monitor_id: Id.nullish(),
    payload: Payload.optional().meta({ description: "any JSON, native or as a string" }),
    evaluate_rules: z.boolean().nullish().meta({ description: "default false" }),
  })
  .meta({ id: "EventEmit" });
export type EventEmit = z.infer<typeof EventEmit>;

export const CustomEvent = z
  .object({
    id: Id,
    status_page_id: Id,
    event_name: z.string(),
    classification: Classification,
    title: z.string(),
    description: z.string().nullable(),
    monitor_id: Id.nullable(),
    agent_id: Id.nullable(),
    payload: z.string().nullable().meta({ description: "JSON" }),
    rule_id: Id.nullable().meta({ description: "the rule whose firing emitted it" }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "CustomEvent" });
export type CustomEvent = z.infer<typeof CustomEvent>;

const FILTER_VALUES_MAX = 50;

/** Several values of a query parameter, separated by commas. */
function listOf<Schema extends z.ZodType<unknown, string>>(schema: Schema) {
  return z
    .string()
    .meta({ description: "several, separated by commas" })
    .transform((text) => text.split(",").map((value) => value.trim()))
    .pipe(z.array(schema).max(FILTER_VALUES_MAX));
}

export const EventLogQuery = z.object({
  event_name: listOf(EventName).optional(),
  classification: listOf(Classification).optional(),
  monitor_id: Id.optional(),
  rule_id: Id.optional().meta({ description: "a rule that fired" }),
  from: InstantInput.optional(),
  to: InstantInput.optional().meta({ description: "exclusive" }),
});
export type EventLogQuery = z.infer<typeof EventLogQuery>;
