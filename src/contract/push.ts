import { z } from "zod";
import { DAY_MS } from "../lib/durations.ts";
import { Id, Instant } from "./common.ts";
import { MONITOR_STATUSES, type MonitorType } from "./monitor-values.ts";

/** Pushes: heartbeats and metric samples that targets send. */

export const PUSH_BYTES_MAX = 256 * 1024;
/** Longer messages of a heartbeat are cut to this size. */
export const MESSAGE_BYTES_MAX = 10_000;
/** Of what another tool gave to senders: nobody else comes upon it by guessing. */
export const PUSH_ALIAS_LENGTH_MIN = 16;
const SAMPLES_MAX = 100;
const METRICS_MAX = 50;
const METRIC_BYTES_MAX = 1024;
const RUN_ID_MAX = 100;
const DAY_S = DAY_MS / 1000;
const DURATION_MAX_MS = 30 * DAY_MS;
const WIDGETS_MAX = 50;
const THRESHOLDS_MAX = 50;

/** Monitor types that accept pushes; each push is for one of them. */
export type PushKind = Extract<MonitorType, "heartbeat" | "api" | "game_server">;

/** A heartbeat reports a result of a job (`ok`, `fail`), its start, or a log message. */
export const HEARTBEAT_STATUSES = ["ok", "fail", "start", "log"] as const;

/** Numbers come as text in queries, where a name without a value says nothing. */
const numberOrText = <Schema extends z.ZodType<number>>(schema: Schema) =>
  z.preprocess(
    (value) => (typeof value === "string" ? (value.trim() === "" ? null : Number(value)) : value),
    schema.nullish(),
  );

export const HeartbeatBody = z
  .object({
    status: z.enum(HEARTBEAT_STATUSES).nullish(),
    message: z.string().nullish().meta({ description: "the first 10 kB are kept" }),
    duration_ms: numberOrText(z.number().min(0).max(DURATION_MAX_MS)),
    exit_code: numberOrText(z.int()).meta({ description: "any value but 0 is a failure" }),
    run_id: z.string().trim().min(1).max(RUN_ID_MAX).nullish().meta({ description: "the same in start and end" }),
  })
  .meta({ id: "Heartbeat" });
export type HeartbeatBody = z.infer<typeof HeartbeatBody>;

export interface Heartbeat {
  status: (typeof HEARTBEAT_STATUSES)[number];
  message: string | null;
  duration_ms: number | null;
  exit_code: number | null;
  run_id: string | null;
}

/** One measurement of an API or a game server. */
export interface MetricSample {
  /** Measurement time of the sender; null: now. */
  at: number | null;
  /** The fields of the body with a meaning of their own. */
  fields: Record<string, unknown>;
  /** The sender's own metrics. */
  metrics: Record<string, unknown>;
}

export const PushAccepted = z
  .object({ ok: z.literal(true), monitor_id: Id, status: z.enum(MONITOR_STATUSES), received_at: Instant })
  .meta({ id: "PushAccepted" });
export const HeartbeatAccepted = PushAccepted.extend({
  next_expected_at: Instant.nullable().meta({
    description: "when the next heartbeat is due; null: before the first one, or paused",
  }),
}).meta({ id: "HeartbeatAccepted" });

export const MetricName = z.string().regex(/^[A-Za-z0-9_.:-]{1,64}$/, "must match [A-Za-z0-9_.:-]{1,64}");

const metricsNamed = (name: z.ZodType<string, string>) =>
  z
    .record(name, z.unknown())
    .refine((metrics) => Object.keys(metrics).length <= METRICS_MAX, `must have at most ${METRICS_MAX} metrics`)
    .refine(
      (metrics) => Object.values(metrics).every((value) => bytesOf(value) <= METRIC_BYTES_MAX),
      "must have values of at most 1 kB of JSON",
    );

export const CustomMetrics = metricsNamed(MetricName);
/** Of game servers, whose plug-ins call things as they like; rules and thresholds know those with a metric's name. */
export const AnyMetrics = metricsNamed(z.string().max(METRIC_BYTES_MAX));

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** One sample or a list of them; errors of a single sample name its fields without an index. */
export function oneOrMore<Schema extends z.ZodType>(sample: Schema) {
  return z.union([z.array(sample).min(1).max(SAMPLES_MAX), sample]);
}

export const OPERATORS = ["gt", "gte", "lt", "lte", "eq", "neq", ">", ">=", "<", "<=", "==", "=", "!="] as const;
export type Operator = (typeof OPERATORS)[number];

export const MetricThreshold = z
  .object({
    metric: MetricName,
    operator: z.enum(OPERATORS),
    value: z.number(),
    status: z.enum(["degraded", "down"]),
  })
  .meta({ id: "MetricThreshold" });
export type MetricThreshold = z.infer<typeof MetricThreshold>;

export const MetricWidget = z
  .object({ type: z.enum(["line", "bar", "stat"]), metric: MetricName, title: z.string().trim().max(200) })
  .meta({ id: "MetricWidget" });
export type MetricWidget = z.infer<typeof MetricWidget>;

/** The field of every push monitor. */
export const DEADLINE_FIELDS = {
  degraded_timeout_seconds: z
    .int()
    .min(1)
    .max(30 * DAY_S)
    .nullish()
    .meta({ description: "push monitors: seconds without a push until the status is degraded" })
    .transform((value) => value ?? null),
};

/** Fields of monitors that receive metrics. */
export const METRIC_FIELDS = {
  ...DEADLINE_FIELDS,
  widgets: z
    .array(MetricWidget)
    .max(WIDGETS_MAX)
    .nullish()
    .transform((value) => value ?? []),
  thresholds: z
    .array(MetricThreshold)
    .max(THRESHOLDS_MAX)
    .nullish()
    .transform((value) => value ?? []),
};
