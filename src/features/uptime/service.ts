import { getOwner } from "../../access/owners.ts";
import { findVisiblePage } from "../../access/pages.ts";
import { requireMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { listDailyAggregates } from "../../data/daily-aggregates/read.ts";
import { readMaintenanceTime } from "../../data/maintenance/time.ts";
import { listIntervalsSince } from "../../data/status-intervals/read.ts";
import { addTallies, type LatencyHistogram } from "../../domain/baseline.ts";
import { findUnaggregatedFrom, tallyDays } from "../../domain/daily-aggregates.ts";
import { countDurations } from "../../domain/uptime.ts";
import { DAY_MS, HOUR_MS } from "../../lib/durations.ts";
import { listDaysUntil, monthOf } from "../../lib/zoned-days.ts";
import { readLatency } from "../latency/service.ts";

export const BASELINE_DAYS = 14;

/** How long each status held on each of the last days, oldest first; no more days than the owner's plan keeps. */
export async function computeUptime(ctx: RequestScope, monitorId: string, wantedDays: number) {
  const monitor = await requireMonitor(ctx, monitorId);
  const { plan } = await getOwner(ctx, monitor.owner_id);
  const count = Math.min(wantedDays, ctx.settings.HISTORY_DAYS[plan]);
  const page = monitor.status_page_id === null ? undefined : await findVisiblePage(ctx, monitor.status_page_id);
  const timezone = page?.page.timezone ?? "UTC";
  const days = listDaysUntil(ctx.now, timezone, count);
  const from_month = monthOf(days[0]?.date ?? "");
  const aggregates = await listDailyAggregates(ctx.db, { monitor_id: monitorId, timezone, from_month });
  const unaggregated = findUnaggregatedFrom(days, aggregates, monitor.created_at);
  const [intervals, timeOf] = await Promise.all([
    listIntervalsSince(ctx.db, monitorId, unaggregated),
    readMaintenanceTime(ctx.db, [monitorId], { since: unaggregated, now: ctx.now }),
  ]);
  const { spans: maintenance, is_excluded } = timeOf(monitorId);
  return tallyDays(days, { aggregates, intervals, maintenance }, ctx.now).flatMap((covered, n) => {
    const date = days[n]?.date;
    return date === undefined ? [] : [{ date, tally: countDurations(covered, { is_excluded }) }];
  });
}

export interface LearnedLatency {
  monitor_id: string;
  total: LatencyHistogram;
  /** In how many hours something was measured. */
  hours: number;
  /** By hour of the day in UTC; hours without samples are left out. */
  hourly: { hour: number; tally: LatencyHistogram }[];
  /** Epoch ms; null before the first sample. */
  updated_at: number | null;
}

/** What latency is usual, learned from the successes of the last two weeks, wherever they were measured. */
export async function learnLatency(ctx: RequestScope, monitorId: string): Promise<LearnedLatency> {
  const monitor = await requireMonitor(ctx, monitorId);
  const from = ctx.now - BASELINE_DAYS * DAY_MS;
  const samples = (await readLatency(ctx, monitor, { from, step_ms: HOUR_MS })).filter(({ tally }) => tally.count > 0);
  const byHour = Map.groupBy(samples, ({ at }) => new Date(at).getUTCHours());
  return {
    monitor_id: monitorId,
    total: addTallies(samples.map(({ tally }) => tally)),
    hours: new Set(samples.map(({ at }) => Math.floor(at / HOUR_MS))).size,
    hourly: [...byHour]
      .sort(([a], [b]) => a - b)
      .map(([hour, found]) => ({ hour, tally: addTallies(found.map(({ tally }) => tally)) })),
    updated_at: samples.length === 0 ? null : Math.max(...samples.map(({ at }) => Math.min(ctx.now, at + HOUR_MS))),
  };
}
