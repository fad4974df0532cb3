import { z } from "zod";
import type { ApiKept, ApiMetrics, ApiMonitor, KeyReplaced } from "../../contract/api-monitoring.ts";
import { OPTION_FIELDS } from "../../contract/monitor.ts";
import { METRIC_FIELDS } from "../../contract/push.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import type { KeptSample, readMetrics, rotateCredential } from "../push/service.ts";
import type { ApiMonitorView } from "./service.ts";

const Options = z.object({ degraded_timeout_seconds: OPTION_FIELDS.degraded_timeout_seconds, ...METRIC_FIELDS });

export function presentApiMonitor({ record, last, access }: ApiMonitorView): z.infer<typeof ApiMonitor> {
  const { degraded_timeout_seconds, widgets, thresholds } = Options.parse(record.options);
  return {
    id: record.id,
    name: record.name,
    type: "api",
    status: record.status,
    status_since: toIso(record.status_since),
    status_page_id: record.status_page_id,
    interval: record.interval,
    degraded_timeout_seconds: degraded_timeout_seconds ?? null,
    latency_threshold_ms: record.latency_threshold_ms,
    failure_threshold: record.failure_threshold,
    recovery_threshold: record.recovery_threshold,
    widgets,
    thresholds,
    paused: record.paused,
    last_message: record.status_message,
    last_push_at: toIsoOrNull(last?.received_at ?? null),
    last_push: last && presentSample(last),
    push_key: access.push_key,
    push_url: access.push_urls?.push ?? null,
    created_at: toIso(record.created_at),
    updated_at: toIso(record.updated_at),
  };
}

/** The members passed the schema of pushes when they were kept. */
function presentSample({ received_at, sample }: KeptSample): z.infer<typeof ApiKept> {
  const { endpoint, method, status_code, latency_ms, is_error } = sample.fields as z.infer<typeof ApiKept>;
  const { metrics } = sample;
  const times = { received_at: toIso(received_at), timestamp: toIsoOrNull(sample.at) };
  return { ...times, endpoint, method, status_code, latency_ms, is_error, metrics };
}

export function presentMetrics(history: Awaited<ReturnType<typeof readMetrics>>): z.infer<typeof ApiMetrics> {
  return {
    monitor_id: history.monitor_id,
    from: toIso(history.from),
    to: toIso(history.to),
    step: history.step,
    series: history.series.map(({ metric, points }) => ({
      metric,
      points: points.map(({ at, count, mean, min, max }) => ({ at: toIso(at), count, mean, min, max })),
    })),
    recent: history.recent.map(presentSample),
  };
}

export function presentKey({
  record,
  access,
}: Awaited<ReturnType<typeof rotateCredential>>): z.infer<typeof KeyReplaced> {
  return { monitor_id: record.id, push_key: access.push_key ?? "", push_url: access.push_urls?.push ?? "" };
}
