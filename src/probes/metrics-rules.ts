import type { MetricThreshold } from "../contract/push.ts";
import { staleAfterMs } from "../domain/check-schedule.ts";
import type { MetricsRules } from "../domain/push-deadline.ts";

interface MetricsOptions {
  degraded_timeout_seconds: number | null;
  thresholds: MetricThreshold[];
}

/** Choice: without `degraded_timeout_seconds` a push is valid for as long as a check result is. */
export function metricsRules(
  kind: MetricsRules["kind"],
  { degraded_timeout_seconds, thresholds }: MetricsOptions,
  { interval, latency_threshold_ms }: { interval: number; latency_threshold_ms: number | null },
): MetricsRules {
  const stale_ms = degraded_timeout_seconds === null ? staleAfterMs(interval) : degraded_timeout_seconds * 1000;
  return { kind, latency_threshold_ms, thresholds, stale_ms };
}
