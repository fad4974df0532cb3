import { z } from "zod";
import { HOUR_MS } from "../lib/durations.ts";
import { Id, Instant, InstantInput } from "./common.ts";
import { INTERVAL_MIN_S } from "./monitor.ts";
import { MONITOR_STATUSES } from "./monitor-values.ts";
import { CustomMetrics, METRIC_FIELDS, MetricThreshold, MetricWidget, oneOrMore } from "./push.ts";

const DAY_S = 86_400;
const LATENCY_MAX_MS = HOUR_MS;

const ApiFields = {
  endpoint: z.string().trim().max(2048).nullish(),
  method: z.string().trim().max(20).nullish(),
  status_code: z.int().min(0).max(999).nullish(),
  latency_ms: z.number().min(0).max(LATENCY_MAX_MS).nullish(),
  is_error: z.boolean().nullish().meta({ description: "true is a failure" }),
};

export const ApiSample = z
  .object({
    ...ApiFields,
    metrics: CustomMetrics.nullish().meta({ description: "at most 50, values of at most 1 kB of JSON" }),
    timestamp: InstantInput.nullish().meta({
      description: "within 24 hours; older samples than the newest do not change the status",
    }),
  })
  .meta({ id: "ApiSample" });
export type ApiSample = z.infer<typeof ApiSample>;
export const ApiPush = oneOrMore(ApiSample);

/** Settings of monitors that metrics are pushed to. Absent: keep; null: clear, so that the default holds again. */
export const CONFIG_FIELDS = {
  interval: z.int().min(INTERVAL_MIN_S).max(DAY_S).nullish().meta({ description: "seconds between pushes" }),
  degraded_timeout_seconds: METRIC_FIELDS.degraded_timeout_seconds.in,
  widgets: METRIC_FIELDS.widgets.in,
  thresholds: METRIC_FIELDS.thresholds.in,
};
export const ApiConfig = z.object(CONFIG_FIELDS).meta({ id: "ApiMonitoringConfig" });

/** What every monitor that metrics are pushed to shows of itself. */
export const MetricsMonitorFields = {
  id: Id,
  name: z.string(),
  status: z.enum(MONITOR_STATUSES),
  status_since: Instant,
  status_page_id: Id.nullable(),
  interval: z.int(),
  degraded_timeout_seconds: z.int().nullable(),
  latency_threshold_ms: z.int().nullable(),
  failure_threshold: z.int(),
  recovery_threshold: z.int(),
  widgets: z.array(MetricWidget),
  thresholds: z.array(MetricThreshold),
  paused: z.boolean(),
  last_message: z.string().nullable(),
  last_push_at: Instant.nullable(),
  push_key: z.string().nullable().meta({ description: "with monitors.write, else null" }),
  push_url: z.string().nullable(),
  created_at: Instant,
  updated_at: Instant,
};

const Kept = { received_at: Instant, timestamp: Instant.nullable() };

export const StoredApiSample = z
  .object({ ...Kept, ...ApiFields, metrics: z.record(z.string(), z.unknown()) })
  .meta({ id: "StoredApiSample" });
export const STORED_SAMPLE_FIELDS = Kept;

export const ApiMonitor = z
  .object({ ...MetricsMonitorFields, type: z.literal("api"), last_push: StoredApiSample.nullable() })
  .meta({ id: "ApiMonitor" });

export const RotatedPushKey = z.object({ monitor_id: Id, push_key: z.string(), push_url: z.string() });

export const MetricsQuery = z.object({
  from: InstantInput.optional().meta({ description: "default: an hour before `to`" }),
  to: InstantInput.optional().meta({ description: "default: now" }),
  step: z.coerce
    .number()
    .int()
    .min(1)
    .max(DAY_S)
    .optional()
    .meta({ description: "seconds; multiples of 3600 reach back 90 days, others as far as the newest 1,000 pushes" }),
  limit: z.coerce.number().int().min(1).max(1000).default(100).meta({ description: "of `recent`" }),
});
export type MetricsQuery = z.infer<typeof MetricsQuery>;

export const Series = z.array(
  z.object({
    metric: z.string(),
    points: z.array(z.object({ at: Instant, count: z.int(), mean: z.number(), min: z.number(), max: z.number() })),
  }),
);

const History = { monitor_id: Id, from: Instant, to: Instant, step: z.int(), series: Series };
export const METRIC_SERIES_FIELDS = History;
export const ApiMetrics = z
  .object({ ...History, recent: z.array(StoredApiSample).meta({ description: "newest push first" }) })
  .meta({ id: "ApiMetrics" });
