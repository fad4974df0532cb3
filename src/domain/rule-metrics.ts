import type { CheckOutcome } from "../contract/check.ts";
import { DAY_MS, MINUTE_MS } from "../lib/durations.ts";
import type { MetricPoint, MetricSnapshot } from "./event-rules.ts";

/** Shares without a window are taken over these spans, because a share of one check is all or nothing. */
const DEFAULT_WINDOWS_MS = { error_rate: 5 * MINUTE_MS, uptime_percentage: DAY_MS } as const;

/** The metrics that are measured on checks or pushes. */
export const CHECK_METRICS: ReadonlySet<string> = new Set([
  "latency_ms",
  "latency_sigma",
  "status_code",
  "error_rate",
  "failure_count",
  "uptime_percentage",
]);
/** A run of failures is counted within so long, and the newest value of a metric is not older. */
const NEWEST_MS = 60 * MINUTE_MS;
const NEWEST_INTERVALS = 3;

/** How far before an instant its conditions look, for a monitor that is checked every `intervalSeconds`. */
export function computeReachMs(
  conditions: readonly { metric: string; window_minutes?: number | null }[],
  intervalSeconds: number,
): number {
  const newestMs = Math.max(NEWEST_MS, NEWEST_INTERVALS * intervalSeconds * 1000);
  const reaches = conditions.map(({ metric, window_minutes }) => {
    if (window_minutes) return window_minutes * MINUTE_MS;
    return metric === "uptime_percentage" ? DEFAULT_WINDOWS_MS.uptime_percentage : newestMs;
  });
  return Math.max(newestMs, ...reaches);
}

export interface MeasuredCheck {
  at: number;
  outcome: CheckOutcome;
  latency_ms: number | null;
  status_code: number | null;
}

/** Usual latency at this hour; null while it is not known well enough. */
export interface UsualLatency {
  mean_ms: number;
  stddev_ms: number;
}

export interface MetricSources {
  /** Checks or API pushes, in any order; errors of the checker itself measure nothing. */
  checks?: readonly MeasuredCheck[];
  usual_latency?: UsualLatency | null;
  last_heartbeat_at?: number | null;
  /** Numbers that were pushed or reported by a host, by their names. */
  pushed?: readonly { at: number; metrics: Readonly<Record<string, number>> }[];
  /** When pushes or reports of a host arrived: what rules on metrics were evaluated on. */
  arrivals?: readonly number[];
}

/** What rules can compare at `now`. A metric that the service measures wins over a pushed one of the same name. */
export function buildMetrics(sources: MetricSources, now: number): MetricSnapshot {
  const points = new Map<string, MetricPoint[]>();
  const add = (metric: string, at: number, value: number) => {
    const known = points.get(metric);
    if (known) known.push({ at, value });
    else points.set(metric, [{ at, value }]);
  };
  for (const { at, metrics } of past(sources.pushed ?? [], now)) {
    for (const [metric, value] of Object.entries(metrics)) if (Number.isFinite(value)) add(metric, at, value);
  }
  const measured = listMeasured(sources, now);
  const measuredNames = new Set(measured.map(([metric]) => metric));
  for (const metric of measuredNames) points.delete(metric);
  for (const [metric, at, value] of measured) add(metric, at, value);

  const values = new Map<string, number>();
  for (const [metric, series] of points) values.set(metric, series.at(-1)?.value ?? 0);
  for (const [metric, windowMs] of Object.entries(DEFAULT_WINDOWS_MS)) {
    if (!measuredNames.has(metric)) continue;
    const recent = (points.get(metric) ?? []).filter(({ at }) => at > now - windowMs);
    if (recent.length > 0) values.set(metric, recent.reduce((sum, { value }) => sum + value, 0) / recent.length);
    else values.delete(metric);
  }
  return { values, points };
}

/** The snapshot with given numbers in place of what was measured, over any window. */
export function replaceMetrics(
  snapshot: MetricSnapshot,
  given: Readonly<Record<string, number>>,
  now: number,
): MetricSnapshot {
  const entries = Object.entries(given);
  return {
    values: new Map([...snapshot.values, ...entries]),
    points: new Map([
      ...snapshot.points,
      ...entries.map(([metric, value]): [string, MetricPoint[]] => [metric, [{ at: now, value }]]),
    ]),
  };
}

/** The part of the sources that is measured after `from` and until `to`. */
export function sliceSources(sources: MetricSources, { from, to }: { from: number; to: number }): MetricSources {
  const isWithin = ({ at }: { at: number }) => at > from && at <= to;
  return { ...sources, checks: sources.checks?.filter(isWithin), pushed: sources.pushed?.filter(isWithin) };
}

function past<Entry extends { at: number }>(entries: readonly Entry[], now: number): Entry[] {
  return entries.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
}

function listMeasured(sources: MetricSources, now: number): [metric: string, at: number, value: number][] {
  const measured: [string, number, number][] = [];
  const usual = sources.usual_latency ?? null;
  let failures = 0;
  for (const { at, outcome, latency_ms, status_code } of past(sources.checks ?? [], now)) {
    if (outcome === "error") continue;
    const hasFailed = outcome === "failure";
    failures = hasFailed ? failures + 1 : 0;
    measured.push(["failure_count", at, failures]);
    measured.push(["error_rate", at, hasFailed ? 100 : 0], ["uptime_percentage", at, hasFailed ? 0 : 100]);
    if (status_code !== null) measured.push(["status_code", at, status_code]);
    if (latency_ms === null) continue;
    measured.push(["latency_ms", at, latency_ms]);
    const sigma = computeLatencySigma(latency_ms, usual);
    if (sigma !== null) measured.push(["latency_sigma", at, sigma]);
  }
  const heartbeatAt = sources.last_heartbeat_at ?? null;
  // Its age is a matter of now, so that a mean over a window is that of now, too.
  if (heartbeatAt !== null) measured.push(["heartbeat_age_seconds", now, Math.max(0, now - heartbeatAt) / 1000]);
  return measured;
}

/** Standard deviations above the usual; null where latency never varied, because any change would be infinite. */
export function computeLatencySigma(latencyMs: number, usual: UsualLatency | null): number | null {
  if (usual === null || usual.stddev_ms <= 0) return null;
  return (latencyMs - usual.mean_ms) / usual.stddev_ms;
}
