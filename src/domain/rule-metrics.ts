import type { MeasuredCheck } from "../contract/check.ts";
import type { StoredResult } from "../contract/prober-object.ts";
import { DAY_MS, MINUTE_MS } from "../lib/durations.ts";
import type { MetricPoint, MetricSnapshot } from "./event-rules.ts";

/** Shares without a window are taken over these spans, because a share of one check is all or nothing. */
const UPTIME_WINDOW_MS = DAY_MS;
const DEFAULT_WINDOWS_MS: Readonly<Record<string, number | undefined>> = {
  error_rate: 5 * MINUTE_MS,
  uptime_percentage: UPTIME_WINDOW_MS,
};

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
    return metric === "uptime_percentage" ? UPTIME_WINDOW_MS : newestMs;
  });
  return Math.max(newestMs, ...reaches);
}

type CheckSummary = Pick<StoredResult, "checked_at" | "outcome" | "latency_ms" | "message"> & { region?: string };

/** A result of the history, or one that is about to be there. */
export function toMeasuredCheck({ checked_at, outcome, latency_ms, message, region }: CheckSummary): MeasuredCheck {
  return { at: checked_at, outcome, latency_ms, status_code: readStatusCode(message), ...(region && { region }) };
}

/** These checks and the one that triggers an evaluation, once whether or not the history has it already. */
export function withTrigger(checks: readonly MeasuredCheck[], trigger: MeasuredCheck): readonly MeasuredCheck[] {
  const isThere = checks.some(({ at, region }) => at === trigger.at && region === trigger.region);
  return isThere ? checks : [...checks, trigger];
}

/** History keeps the message of a check, which begins with the status of an HTTP response, and not its details. */
function readStatusCode(message: string): number | null {
  const [, code] = /^HTTP (\d{3})\b/.exec(message) ?? [];
  return code === undefined ? null : Number(code);
}

/** Usual latency at an hour of the day. */
export interface UsualLatency {
  mean_ms: number;
  stddev_ms: number;
}

export interface MetricSources {
  /** Checks or API pushes, in any order; errors of the checker itself measure nothing. */
  checks?: readonly MeasuredCheck[];
  /** At the hour of an instant; null while it is not known well enough. */
  usual_latency?: (at: number) => UsualLatency | null;
  last_heartbeat_at?: number | null;
  /** From how many of several locations the target fails, as is known now; of the past it is not. */
  locations_down?: MetricPoint | null;
  /** Numbers that were pushed or reported by a host, by their names. */
  pushed?: readonly { at: number; metrics: Readonly<Record<string, number>> }[];
  /** When results, pushes or reports of a host arrived: what rules on metrics were evaluated on. */
  arrivals?: readonly number[];
}

/** What rules can compare at `now`, of all that was measured until then. */
export function buildMetrics(sources: MetricSources, now: number): MetricSnapshot {
  return openTimeline(sources)(now);
}

/**
 * What rules can compare at any instant, of what was measured within `reachMs` before it. Everything is sorted once, and an
 * instant costs as much as its conditions read. A metric that the service measures wins over a pushed one of the same name.
 */
export function openTimeline(
  sources: MetricSources,
  reachMs = Number.POSITIVE_INFINITY,
): (now: number) => MetricSnapshot {
  const checks = inOrder(sources.checks ?? []).filter(({ outcome }) => outcome !== "error");
  const pushed = seriesOfPushes(sources);
  const measured = new Map<string, MetricPoint[]>();
  const seriesOf = (metric: string) => {
    const series = measured.get(metric) ?? measureChecks(checks, metric);
    measured.set(metric, series);
    return series;
  };
  const listPoints = (metric: string, now: number) => {
    const from = now - reachMs;
    const latencies = () => slice(seriesOf("latency_ms"), from, now);
    const own = listOfService(sources, metric, now, latencies) ?? slice(seriesOf(metric), from, now);
    if (own.length === 0) return slice(pushed.get(metric) ?? [], from, now);
    return metric === "failure_count" ? countFromFirst(own) : own;
  };
  const readNewest = (metric: string, now: number) => {
    const windowMs = DEFAULT_WINDOWS_MS[metric];
    const isMeasured = slice(seriesOf(metric), now - reachMs, now, 1).length > 0;
    if (windowMs !== undefined && isMeasured) return meanOf(slice(seriesOf(metric), now - windowMs, now));
    return listPoints(metric, now).at(-1)?.value;
  };
  return (now) => ({
    values: { get: (metric) => readNewest(metric, now) },
    points: { get: (metric) => listPoints(metric, now) },
  });
}

/** The metrics that depend on the instant at which they are read; null for all others. */
function listOfService(
  { last_heartbeat_at: heartbeatAt = null, locations_down: failing = null, usual_latency }: MetricSources,
  metric: string,
  now: number,
  latencies: () => readonly MetricPoint[],
): MetricPoint[] | null {
  if (metric === "heartbeat_age_seconds") {
    // A mean of ages over a window is that of now, too.
    return heartbeatAt === null ? [] : [{ at: now, value: Math.max(0, now - heartbeatAt) / 1000 }];
  }
  if (metric === "locations_down") return failing !== null && failing.at <= now ? [failing] : [];
  if (metric !== "latency_sigma") return null;
  const usual = usual_latency?.(now) ?? null;
  if (usual === null) return [];
  return latencies().flatMap(({ at, value: latency }) => {
    const value = computeLatencySigma(latency, usual);
    return value === null ? [] : [{ at, value }];
  });
}

/** Of points in order those after `from` and until `to`, the newest so many. */
function slice(points: readonly MetricPoint[], from: number, to: number, limit = Number.POSITIVE_INFINITY) {
  const end = countUntil(points, to);
  return points.slice(Math.max(countUntil(points, from), end - limit), end);
}

/** How many of these points, oldest first, lie at or before an instant. */
function countUntil(points: readonly MetricPoint[], instant: number): number {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.at ?? 0) <= instant) low = middle + 1;
    else high = middle;
  }
  return low;
}

function meanOf(points: readonly MetricPoint[]): number | undefined {
  if (points.length === 0) return undefined;
  return points.reduce((sum, { value }) => sum + value, 0) / points.length;
}

/** A run of failures counts from the first point that is known. */
function countFromFirst(points: readonly MetricPoint[]): MetricPoint[] {
  return points.map((point, n) => (point.value > n + 1 ? { ...point, value: n + 1 } : point));
}

function seriesOfPushes({ pushed = [] }: MetricSources): Map<string, MetricPoint[]> {
  const series = new Map<string, MetricPoint[]>();
  for (const { at, metrics } of inOrder(pushed)) {
    for (const [metric, value] of Object.entries(metrics)) {
      if (!Number.isFinite(value)) continue;
      const known = series.get(metric);
      if (known) known.push({ at, value });
      else series.set(metric, [{ at, value }]);
    }
  }
  return series;
}

/** What checks, oldest first, say about one metric. */
function measureChecks(checks: readonly MeasuredCheck[], metric: string): MetricPoint[] {
  let failures = 0;
  const read = ({ outcome, latency_ms, status_code }: MeasuredCheck): number | null => {
    const hasFailed = outcome === "failure";
    failures = hasFailed ? failures + 1 : 0;
    if (metric === "failure_count") return failures;
    if (metric === "error_rate") return hasFailed ? 100 : 0;
    if (metric === "uptime_percentage") return hasFailed ? 0 : 100;
    if (metric === "status_code") return status_code;
    return metric === "latency_ms" ? latency_ms : null;
  };
  return checks.flatMap((check) => {
    const value = read(check);
    return value === null ? [] : [{ at: check.at, value }];
  });
}

function inOrder<Entry extends { at: number }>(entries: readonly Entry[]): Entry[] {
  return entries.toSorted((a, b) => a.at - b.at);
}

/** The snapshot with given numbers in place of what was measured, over any window. */
export function replaceMetrics(
  { values, points }: MetricSnapshot,
  given: Readonly<Record<string, number>>,
  now: number,
): MetricSnapshot {
  const replaced = new Map(Object.entries(given));
  const pointOf = (value: number | undefined) => (value === undefined ? undefined : [{ at: now, value }]);
  return {
    values: { get: (metric) => replaced.get(metric) ?? values.get(metric) },
    points: { get: (metric) => pointOf(replaced.get(metric)) ?? points.get(metric) },
  };
}

/** Standard deviations above the usual; null where latency never varied, because any change would be infinite. */
export function computeLatencySigma(latencyMs: number, usual: UsualLatency | null): number | null {
  if (usual === null || usual.stddev_ms <= 0) return null;
  return (latencyMs - usual.mean_ms) / usual.stddev_ms;
}
