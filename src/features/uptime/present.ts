import type { z } from "zod";
import type { LatencyBaseline, UptimeDay } from "../../contract/uptime.ts";
import {
  BASELINE_NEEDED_DAYS,
  deviationOf,
  isReady,
  type LatencyHistogram,
  meanOf,
  percentileOf,
} from "../../domain/baseline.ts";
import { computeUptimePercentage, type StatusDurations } from "../../domain/uptime.ts";
import { toIsoOrNull } from "../../platform/clock.ts";
import { BASELINE_DAYS, type LearnedLatency } from "./service.ts";

export function presentDay({ date, tally }: { date: string; tally: StatusDurations }): z.infer<typeof UptimeDay> {
  return {
    date,
    up_seconds: Math.round(tally.up / 1000),
    degraded_seconds: Math.round(tally.degraded / 1000),
    down_seconds: Math.round(tally.down / 1000),
    maintenance_seconds: Math.round(tally.maintenance / 1000),
    uptime_percentage: computeUptimePercentage(tally),
  };
}

export function presentBaseline({
  monitor_id,
  total,
  hours,
  hourly,
  updated_at,
}: LearnedLatency): z.infer<typeof LatencyBaseline> {
  return {
    monitor_id,
    status: isReady(total, hours) ? "ready" : "learning",
    sample_count: total.count,
    window_days: BASELINE_DAYS,
    learned_days: Math.floor((hours / 24) * 10) / 10,
    needed_days: BASELINE_NEEDED_DAYS,
    mean_ms: rounded(meanOf(total)),
    stddev_ms: rounded(deviationOf(total)),
    min_ms: total.count === 0 ? null : total.min,
    max_ms: total.count === 0 ? null : total.max,
    p50_ms: percentile(total, 0.5),
    p90_ms: percentile(total, 0.9),
    p95_ms: percentile(total, 0.95),
    p99_ms: percentile(total, 0.99),
    hourly: hourly.map(({ hour, tally }) => ({
      hour,
      sample_count: tally.count,
      mean_ms: rounded(meanOf(tally)),
      p95_ms: percentile(tally, 0.95),
    })),
    updated_at: toIsoOrNull(updated_at),
  };
}

function percentile(tally: LatencyHistogram, share: number): number | null {
  return rounded(percentileOf(tally, share));
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10) / 10;
}
