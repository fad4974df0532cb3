import type { MonitorStatus } from "../contract/monitor-values.ts";
import type { DayDurations } from "../contract/public-page.ts";
import type { Db } from "../data/db.ts";
import { type MaintenanceTime, readMaintenanceTime } from "../data/maintenance/time.ts";
import { listIntervalsOf, listIntervalsSince } from "../data/status-intervals/read.ts";
import { type DailyAggregates, findUnaggregatedFrom, tallyDays } from "../domain/daily-aggregates.ts";
import {
  byTime,
  type CoveredDurations,
  computeStatusDurations,
  countDurations,
  type StatusDurations,
  type StatusInterval,
  sumStatusDurations,
} from "../domain/uptime.ts";
import type { Span } from "../lib/spans.ts";
import type { ZonedDay } from "../lib/zoned-days.ts";

interface ReadDailyAggregate {
  monitor_id: string;
  month: string;
  to_at: number;
  /** What lasted just before that. */
  status: MonitorStatus | null;
  days: readonly CoveredDurations[];
}

export type TimeOf = (monitorId: string) => MaintenanceTime;

interface Past {
  monitors: readonly { id: string; created_at: number }[];
  /** In the days of the page's zone. */
  aggregates: readonly ReadDailyAggregate[];
  /** Of each monitor what began after its newest daily aggregate; of one without any all that the days are about. */
  intervals: readonly (StatusInterval & { monitor_id: string; seq: number })[];
  timeOf: TimeOf;
}

/**
 * What each monitor's bar says of these days, by the monitor's id. A month is missing after a correction of the past or
 * a change of the page's zone, until the sweep has been there; monitors of which one is are read again, from intervals.
 */
export async function tallyMonitors(db: Db, past: Past, days: readonly ZonedDay[], now: number) {
  const monthsOf = Map.groupBy(past.aggregates, (aggregate) => aggregate.monitor_id);
  const intervalsOf = Map.groupBy(past.intervals, (interval) => interval.monitor_id);
  const timelines = past.monitors.map(({ id, created_at }) => {
    const months = monthsOf.get(id) ?? [];
    const aggregates: DailyAggregates = new Map(months.map((row) => [row.month, row.days]));
    const newest = months.toSorted((a, b) => a.to_at - b.to_at).at(-1);
    const since = newest && findUnaggregatedFrom(days, aggregates, created_at);
    const missing_from = newest && since !== undefined && since < newest.to_at ? since : null;
    return {
      id,
      aggregates,
      missing_from,
      intervals: [...lasting(newest), ...(intervalsOf.get(id) ?? []).sort(byTime)],
    };
  });
  const gaps = timelines.flatMap(({ id, missing_from }) =>
    missing_from === null ? [] : [{ monitor_id: id, since: missing_from }],
  );
  const again = gaps.length === 0 ? [] : await listIntervalsOf(db, gaps);
  const againOf = Map.groupBy(again, (interval) => interval.monitor_id);
  return new Map(
    timelines.map(({ id, aggregates, missing_from, intervals }) => {
      const { spans: maintenance, is_excluded } = past.timeOf(id);
      const read = { aggregates, intervals: missing_from === null ? intervals : (againOf.get(id) ?? []), maintenance };
      return [id, tallyDays(days, read, now).map((covered) => packDay(covered, is_excluded))];
    }),
  );
}

/** What visitors see of a range that ends now, for what is no whole day. */
export async function readDurations(db: Db, monitorId: string, range: Span): Promise<StatusDurations> {
  const { from_at: since, to_at: now } = range;
  const [intervals, timeOf] = await Promise.all([
    listIntervalsSince(db, monitorId, since),
    readMaintenanceTime(db, [monitorId], { since, now }),
  ]);
  const { spans: maintenance, is_excluded } = timeOf(monitorId);
  const rule = { maintenance, is_excluded, hides_private: true, now };
  return sumStatusDurations(computeStatusDurations(intervals, [range], rule));
}

/** Private maintenance is not there: visitors do not know of it. */
function packDay(covered: CoveredDurations, is_excluded: boolean): DayDurations {
  const { up, degraded, down, maintenance } = countDurations(covered, { is_excluded, hides_private: true });
  if (maintenance > 0) return [up, degraded, down, maintenance];
  return up + degraded + down === 0 ? null : [up, degraded, down];
}

/** Until the next interval begins. */
function lasting(aggregate: ReadDailyAggregate | undefined): StatusInterval[] {
  return aggregate?.status ? [{ status: aggregate.status, from_at: aggregate.to_at, to_at: null }] : [];
}
