import { HOUR_MS } from "../lib/durations.ts";
import { dateIn, listDaysOfMonth, monthOf, nextMonth, type ZonedDay } from "../lib/zoned-days.ts";
import { type CoveredDurations, computeCoveredDurations, type MaintenanceSpan, type StatusInterval } from "./uptime.ts";

/**
 * Days that have been over for so long are aggregated. What agents kept back for us is taken for 24 hours, so that hardly
 * anything changes a day afterwards; each change drops its daily aggregate.
 */
export const AGGREGATE_AFTER_MS = 48 * HOUR_MS;

/** How far the daily aggregate of a month is. */
export interface AggregatedMonth {
  month: string;
  timezone: string;
  /** The end of its last day. */
  to_at: number;
}

/** What of one month is still to be aggregated. */
export interface MissingDays {
  month: string;
  /** As many days of the month, its first ones, are there already. */
  kept: number;
  days: ZonedDay[];
}

type Calendar = (month: string, timezone: string) => ZonedDay[];

/** The days of many months in few zones, each looked up once. */
export function rememberedCalendar(): Calendar {
  const known = new Map<string, ZonedDay[]>();
  return (month, timezone) => {
    const key = `${month} ${timezone}`;
    const days = known.get(key) ?? listDaysOfMonth(month, timezone);
    known.set(key, days);
    return days;
  };
}

/** Days from the month of `from_at` on that are over for long enough and in no daily aggregate, the oldest month first. */
export function listMissingDays(
  {
    from_at,
    timezone,
    aggregated,
    now,
  }: { from_at: number; timezone: string; aggregated: readonly AggregatedMonth[]; now: number },
  calendar: Calendar,
): MissingDays[] {
  const readyAt = now - AGGREGATE_AFTER_MS;
  const missing: MissingDays[] = [];
  const last = monthOf(dateIn(timezone, readyAt));
  for (let month = monthOf(dateIn(timezone, from_at)); month <= last; month = nextMonth(month)) {
    const known = aggregated.find((row) => row.month === month && row.timezone === timezone);
    const ready = calendar(month, timezone).filter(({ to_at }) => to_at <= readyAt);
    const kept = known ? ready.filter(({ to_at }) => to_at <= known.to_at).length : 0;
    if (kept < ready.length) missing.push({ month, kept, days: ready.slice(kept) });
  }
  return missing;
}

/** Where a reader of these days has to begin with the intervals; nothing is known from before `since`. */
export function findUnaggregatedFrom(days: readonly ZonedDay[], aggregates: DailyAggregates, since: number): number {
  const first = days.find((day) => day.to_at > since && aggregatedDay(aggregates, day) === undefined);
  return first?.from_at ?? days.at(-1)?.to_at ?? since;
}

/** By month. */
export type DailyAggregates = ReadonlyMap<string, readonly CoveredDurations[]>;

/** What is known of the days of one monitor. */
interface KnownDays {
  aggregates: DailyAggregates;
  intervals: readonly StatusInterval[];
  maintenance: readonly MaintenanceSpan[];
}

/** How long each status held on each day: as the daily aggregate says, else as the intervals do. */
export function tallyDays(
  days: readonly ZonedDay[],
  { aggregates, intervals, maintenance }: KnownDays,
  now: number,
): CoveredDurations[] {
  const aggregated = days.map((day) => aggregatedDay(aggregates, day));
  const others = days.filter((_, n) => aggregated[n] === undefined);
  const tallies = computeCoveredDurations(intervals, others, { maintenance, now }).values();
  return aggregated.map((day) => day ?? tallies.next().value ?? []);
}

function aggregatedDay(aggregates: DailyAggregates, { date }: ZonedDay): CoveredDurations | undefined {
  return aggregates.get(monthOf(date))?.[Number(date.slice(8)) - 1];
}

/** So many days in a row, each with its `CoveredDurations`; zeros at the end are left out. */
export type DayRun = [days: number, ...tally: number[]];

/** A month of which nothing happened is a run or two, and most months are. */
export function packDays(days: readonly CoveredDurations[]): DayRun[] {
  const runs: DayRun[] = [];
  for (const day of days) {
    const tally = trimZeros(day);
    const last = runs.at(-1);
    if (last && last.length === tally.length + 1 && tally.every((value, n) => value === last[n + 1])) last[0] += 1;
    else runs.push([1, ...tally]);
  }
  return runs;
}

export function unpackDays(runs: readonly DayRun[]): CoveredDurations[] {
  return runs.flatMap(([count, ...tally]) => Array.from({ length: count }, () => tally));
}

function trimZeros(tally: readonly number[]): number[] {
  return tally.slice(0, tally.findLastIndex((value) => value !== 0) + 1);
}
