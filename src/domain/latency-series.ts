import type { LatencyPeriod } from "../contract/latency.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../lib/durations.ts";
import { addTallies, type LatencyHistogram, percentileOf } from "./baseline.ts";
import { type MeanPhases, meanPhases } from "./phase-tally.ts";

/** How finely latency is kept: the finer, the shorter. */
export const QUARTER_MS = 15 * MINUTE_MS;
export const SPAN_MS = 6 * HOUR_MS;

/** Each period in about a hundred steps, so that an answer and what is read for it stay small. */
const STEPS: Record<LatencyPeriod, { days: number; step_ms: number }> = {
  "24h": { days: 1, step_ms: QUARTER_MS },
  "7d": { days: 7, step_ms: HOUR_MS },
  "30d": { days: 30, step_ms: SPAN_MS },
  "90d": { days: 90, step_ms: DAY_MS },
};

export interface LatencyRange {
  from: number;
  step_ms: number;
}

/** What of the past a period shows; `finest_ms` is the shortest step in which the latency of the monitor is kept. */
export function latencyRange(period: LatencyPeriod, now: number, finest_ms: number = QUARTER_MS): LatencyRange {
  const { days, step_ms: wanted } = STEPS[period];
  const step_ms = Math.max(wanted, finest_ms);
  return { from: startOfStep(now, step_ms) + step_ms - days * DAY_MS, step_ms };
}

export interface LatencyPoint {
  at: number;
  p50_ms: number;
  p95_ms: number;
  max_ms: number;
  checks: number;
  /** Null where none was measured. */
  phases: MeanPhases | null;
}

/** Steps of time with their samples, oldest first; a step without samples is left out. */
export function buildLatencySeries(
  tallies: readonly { at: number; tally: LatencyHistogram }[],
  { from, step_ms }: LatencyRange,
): LatencyPoint[] {
  const within = tallies.filter(({ at, tally }) => at >= from && tally.count > 0);
  return [...Map.groupBy(within, ({ at }) => startOfStep(at, step_ms))]
    .sort(([a], [b]) => a - b)
    .map(([at, members]) => {
      const total = addTallies(members.map(({ tally }) => tally));
      return {
        at,
        p50_ms: rounded(percentileOf(total, 0.5)),
        p95_ms: rounded(percentileOf(total, 0.95)),
        max_ms: total.max,
        checks: total.count,
        phases: total.phases ? meanPhases(total.phases) : null,
      };
    });
}

export function startOfStep(at: number, stepMs: number): number {
  return Math.floor(at / stepMs) * stepMs;
}

/** Of a tally that is not empty. */
function rounded(value: number | null): number {
  return Math.round(value ?? 0);
}
