import { z } from "zod";
import type { METRIC_SERIES_FIELDS, MetricsMonitorFields, RotatedPushKey } from "../../contract/api-monitoring.ts";
import { METRIC_FIELDS } from "../../contract/push.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import type { PushMonitor, readMetrics, rotateCredential, StoredSample } from "./service.ts";

const Options = z.object(METRIC_FIELDS);
type Shape<Fields extends z.core.$ZodLooseShape> = z.infer<z.ZodObject<Fields>>;

/** What is shown of every monitor that metrics are pushed to, regardless of its type. */
export function presentPushed({ record, last, access }: PushMonitor): Shape<typeof MetricsMonitorFields> {
  const { degraded_timeout_seconds, widgets, thresholds } = Options.parse(record.options);
  return {
    id: record.id,
    name: record.name,
    status: record.status,
    status_since: toIso(record.status_since),
    status_page_id: record.status_page_id,
    interval: record.interval,
    degraded_timeout_seconds,
    latency_threshold_ms: record.latency_threshold_ms,
    failure_threshold: record.failure_threshold,
    recovery_threshold: record.recovery_threshold,
    widgets,
    thresholds,
    paused: record.paused,
    last_message: record.status_message,
    last_push_at: toIsoOrNull(last?.received_at ?? null),
    push_key: access.push_key,
    push_url: access.push_urls?.push ?? null,
    created_at: toIso(record.created_at),
    updated_at: toIso(record.updated_at),
  };
}

export function presentTimes({ received_at, sample }: StoredSample): { received_at: string; timestamp: string | null } {
  return { received_at: toIso(received_at), timestamp: toIsoOrNull(sample.at) };
}

export function presentSeries(history: Awaited<ReturnType<typeof readMetrics>>): Shape<typeof METRIC_SERIES_FIELDS> {
  return {
    monitor_id: history.monitor_id,
    from: toIso(history.from),
    to: toIso(history.to),
    step: history.step,
    series: history.series.map(({ metric, points }) => ({
      metric,
      points: points.map(({ at, count, mean, min, max }) => ({ at: toIso(at), count, mean, min, max })),
    })),
  };
}

export function presentKey({
  record,
  access,
}: Awaited<ReturnType<typeof rotateCredential>>): z.infer<typeof RotatedPushKey> {
  return { monitor_id: record.id, push_key: access.push_key ?? "", push_url: access.push_urls?.push ?? "" };
}
