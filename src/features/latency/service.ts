import { requireMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import type { LatencyPeriod } from "../../contract/latency.ts";
import type { ListedMonitor } from "../../data/monitor-settings/read.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { addTallies, type LatencyHistogram } from "../../domain/baseline.ts";
import { buildLatencySeries, type LatencyPoint, type LatencyRange, latencyRange } from "../../domain/latency-series.ts";
import { HOUR_MS, SECOND_MS } from "../../lib/durations.ts";
import { withDeadline } from "../../lib/with-deadline.ts";
import { readObjectLatencies, readObjectLatency, type TalliedStep } from "../../platform/latency-history.ts";
import { resultSourceOf } from "../../probes/registry.ts";

export interface LatencyHistory {
  period: LatencyPeriod;
  range: LatencyRange;
  points: LatencyPoint[];
  /** Of the whole period. */
  tally: LatencyHistogram;
}

/** Percentiles of a monitor's latency over time, of one of its regions or all; reads about a hundred steps. */
export async function listLatency(
  ctx: RequestScope,
  monitorId: string,
  { period, region }: { period: LatencyPeriod; region?: string },
): Promise<LatencyHistory> {
  const monitor = await requireMonitor(ctx, monitorId);
  const range = rangeFor(monitor, period, ctx.now);
  const steps = await readLatency(ctx, monitor, { ...range, region });
  const within = steps.filter(({ at }) => at >= range.from);
  const tally = addTallies(within.map((step) => step.tally));
  return { period, range, points: buildLatencySeries(within, range), tally };
}

/** What of the past a period shows of this monitor: pushes are kept by the hour. */
export function rangeFor(monitor: MonitorRecord, period: LatencyPeriod, now: number): LatencyRange {
  return latencyRange(period, now, isPushed(monitor) ? HOUR_MS : undefined);
}

/** What is kept of a monitor's latency since then: by the service's own checks, its agents, and pushes. */
export async function readLatency(
  ctx: Pick<RequestScope, "env">,
  monitor: MonitorRecord,
  { from, step_ms, region }: LatencyRange & { region?: string },
): Promise<TalliedStep[]> {
  const source = { ...monitor, is_pushed: isPushed(monitor) };
  return readObjectLatency(ctx.env, source, { from, step_ms, region });
}

/** The latencies of a day by the hour, of many monitors; none where the objects that keep them do not answer in time. */
export async function listDayLatencies(
  ctx: RequestScope,
  monitors: readonly ListedMonitor[],
): Promise<{ range: LatencyRange; pointsOf(monitorId: string): LatencyPoint[] }> {
  const range = latencyRange("24h", ctx.now, HOUR_MS);
  const sources = monitors.map((monitor) => ({ ...monitor, is_pushed: isPushed(monitor) }));
  let found: Awaited<ReturnType<typeof readObjectLatencies>> = new Map();
  try {
    found = await withDeadline(readObjectLatencies(ctx.env, sources, range), LISTED_WITHIN_MS);
  } catch (error) {
    ctx.log.error("latencies of a list", error);
  }
  return { range, pointsOf: (id) => buildLatencySeries(found.get(id) ?? [], range) };
}

/** A list is worth more than the lines in it. */
const LISTED_WITHIN_MS = SECOND_MS;

function isPushed(monitor: Pick<ListedMonitor, "type" | "options">): boolean {
  return resultSourceOf(monitor.type, monitor.options) === "push";
}
