import type { PolicyPeriod, SlaPeriod } from "../contract/sla.ts";
import { assertNever } from "../lib/assert-never.ts";
import { DAY_MS } from "../lib/durations.ts";
import { mergeSpans, type Span, splitAt } from "../lib/spans.ts";
import { listDaysUntil, zonedClock } from "../lib/zoned-days.ts";
import { computeShownUptime, computeUptimePercentage, type StatusInterval } from "./uptime.ts";

export interface SlaRules {
  exclude_maintenance: boolean;
  degraded_counts_as_downtime: boolean;
}

/** Milliseconds of counted time by status. */
export interface SlaTotals {
  up: number;
  degraded: number;
  down: number;
  /** Known time inside maintenance windows, whether it is counted or not. */
  maintenance: number;
  outages: number;
}

export interface SlaResult {
  uptime_percentage: number | null;
  /** Null also where too little was measured to state one. */
  shown_percentage: number | null;
  downtime_ms: number;
  degraded_ms: number;
  maintenance_ms: number;
  outages: number;
  mttr_ms: number | null;
  mtbf_ms: number | null;
  meets_target: boolean | null;
  error_budget_ms: number;
}

/** 100 % in the unit of targets, which have four decimals. */
const WHOLE = 1_000_000;

/** The report's period that belongs to a policy's. */
export const REPORT_PERIODS = { monthly: "month", quarterly: "quarter", yearly: "year" } as const satisfies Record<
  PolicyPeriod,
  SlaPeriod
>;

/** Until `now`. Calendar periods begin with the first instant of their first day in the time zone. */
export function spanOfPeriod(period: SlaPeriod, timezone: string, now: number): Span {
  switch (period) {
    case "7d":
      return { from_at: now - 7 * DAY_MS, to_at: now };
    case "30d":
      return { from_at: now - 30 * DAY_MS, to_at: now };
    case "90d":
      return { from_at: now - 90 * DAY_MS, to_at: now };
    case "month":
      return calendarSpan(1, timezone, now);
    case "quarter":
      return calendarSpan(3, timezone, now);
    case "year":
      return calendarSpan(12, timezone, now);
    default:
      return assertNever(period);
  }
}

/** When the present calendar period is over; null: periods of days end now. */
export function endOfPeriod(period: SlaPeriod, timezone: string, now: number): number | null {
  const months = MONTHS_OF[period];
  return months === null ? null : calendarMonths(months, timezone, now).ends_at;
}

/** Null: a period of days. */
const MONTHS_OF: Record<SlaPeriod, number | null> = {
  "7d": null,
  "30d": null,
  "90d": null,
  month: 1,
  quarter: 3,
  year: 12,
};

/** A report over more than these days is drawn by weeks. */
const DAYS_DRAWN_MAX = 92;

/** A range in whole days of a time zone, or in weeks where it is long; the first and the last step may be shorter. */
export function splitIntoSteps({ from_at, to_at }: Span, timezone: string): Span[] {
  // Twenty-four hours touch three days where the clocks go forward on the middle one.
  const count = Math.ceil((to_at - from_at) / DAY_MS) + 2;
  const days = listDaysUntil(to_at - 1, timezone, count).filter((day) => day.to_at > from_at);
  const size = days.length > DAYS_DRAWN_MAX ? 7 : 1;
  return days.flatMap((day, n) => {
    if (n % size !== 0) return [];
    const end = days[Math.min(n + size, days.length) - 1]?.to_at ?? to_at;
    return [{ from_at: Math.max(day.from_at, from_at), to_at: Math.min(end, to_at) }];
  });
}

/** A tally for each step, which adjoin. Every interval is looked at once, and once more for each further step it is in. */
export function tallySteps(
  intervals: readonly StatusInterval[],
  {
    maintenance,
    steps,
    now,
    rules,
  }: { maintenance: readonly Span[]; steps: readonly Span[]; now: number; rules: SlaRules },
): SlaTotals[] {
  const windows = mergeSpans(maintenance);
  let first = 0;
  return steps.map((range) => {
    while (first + 1 < intervals.length && (intervals[first + 1]?.from_at ?? 0) <= range.from_at) first += 1;
    let end = first;
    while (end < intervals.length && (intervals[end]?.from_at ?? 0) < range.to_at) end += 1;
    const near = windows.filter((window) => window.from_at < range.to_at && window.to_at > range.from_at);
    // One more, because an interval ends no later than the next one begins.
    return tallySla(intervals.slice(first, end + 1), { maintenance: near, range, now, rules });
  });
}

function calendarSpan(months: number, timezone: string, now: number): Span {
  return { from_at: calendarMonths(months, timezone, now).from_at, to_at: now };
}

function calendarMonths(months: number, timezone: string, now: number): { from_at: number; ends_at: number } {
  const clock = zonedClock(timezone);
  const today = new Date(clock.toLocal(now));
  const first = today.getUTCMonth() - (today.getUTCMonth() % months);
  const startOf = (month: number) => clock.firstInstantOf(Date.UTC(today.getUTCFullYear(), month, 1));
  return { from_at: startOf(first), ends_at: startOf(first + months) };
}

/** What of a history lies within a stretch of time, whose end may be open. */
export function clipIntervals(intervals: readonly StatusInterval[], { from_at, to_at }: Span): StatusInterval[] {
  return intervals.flatMap((interval, n) => {
    const end = Math.min(
      interval.to_at ?? Number.POSITIVE_INFINITY,
      intervals[n + 1]?.from_at ?? Number.POSITIVE_INFINITY,
    );
    const clipped = { from_at: Math.max(interval.from_at, from_at), to_at: Math.min(end, to_at) };
    if (clipped.from_at >= clipped.to_at) return [];
    return [{ status: interval.status, ...clipped, to_at: Number.isFinite(clipped.to_at) ? clipped.to_at : null }];
  });
}

/**
 * What one monitor's intervals say about a range. They are in order; each ends no later than the next one begins, the
 * last not after `now`. Time that is unknown, pending or paused is not there at all, nor is excluded maintenance. What is
 * left counts as one line of time: an outage is a stretch of downtime on it, ended by time that was good.
 */
export function tallySla(
  intervals: readonly StatusInterval[],
  { maintenance, range, now, rules }: { maintenance: readonly Span[]; range: Span; now: number; rules: SlaRules },
): SlaTotals {
  const windows = mergeSpans(maintenance);
  const tally: SlaTotals = { up: 0, degraded: 0, down: 0, maintenance: 0, outages: 0 };
  let isOut = false;
  for (const [n, { status, from_at, to_at }] of intervals.entries()) {
    if (status !== "up" && status !== "degraded" && status !== "down") continue;
    const end = Math.min(to_at ?? now, intervals[n + 1]?.from_at ?? now, now, range.to_at);
    for (const piece of splitAt(windows, { from_at: Math.max(from_at, range.from_at), to_at: end })) {
      const length = piece.to_at - piece.from_at;
      if (piece.isInside) tally.maintenance += length;
      if (piece.isInside && rules.exclude_maintenance) continue;
      tally[status] += length;
      const isBad = status === "down" || (status === "degraded" && rules.degraded_counts_as_downtime);
      if (isBad && !isOut) tally.outages += 1;
      isOut = isBad;
    }
  }
  return tally;
}

interface MemberHistory {
  intervals: readonly StatusInterval[];
  maintenance: readonly Span[];
}

/** When a composite was down for nothing but members in maintenance: a member was, and none outside of its windows. */
export function compositeMaintenance(members: readonly MemberHistory[], now: number): Span[] {
  const pieces = members.flatMap(({ intervals, maintenance }) => {
    const windows = mergeSpans(maintenance);
    return intervals.flatMap(({ status, from_at, to_at }, n) => {
      if (status !== "down") return [];
      return splitAt(windows, { from_at, to_at: Math.min(to_at ?? now, intervals[n + 1]?.from_at ?? now) });
    });
  });
  const unplanned = mergeSpans(pieces.filter(({ isInside }) => !isInside));
  return mergeSpans(pieces.filter(({ isInside }) => isInside)).flatMap((span) =>
    splitAt(unplanned, span)
      .filter(({ isInside }) => !isInside)
      .map(({ from_at, to_at }) => ({ from_at, to_at })),
  );
}

export function sumSlaTallies(tallies: readonly SlaTotals[]): SlaTotals {
  const sum: SlaTotals = { up: 0, degraded: 0, down: 0, maintenance: 0, outages: 0 };
  for (const tally of tallies) {
    sum.up += tally.up;
    sum.degraded += tally.degraded;
    sum.down += tally.down;
    sum.maintenance += tally.maintenance;
    sum.outages += tally.outages;
  }
  return sum;
}

/**
 * `meets_target` compares whole milliseconds and not rounded percentages. The budget is that of the counted time, or of
 * `wholeMs` while a calendar period goes on: so far the target is met until the budget of the whole period is overdrawn.
 */
export function evaluateSla(tally: SlaTotals, targetPercentage: number, rules: SlaRules, wholeMs?: number): SlaResult {
  const { up, degraded, down, maintenance, outages } = tally;
  const downtime = rules.degraded_counts_as_downtime ? down + degraded : down;
  const counted = up + degraded + down;
  const error_budget_ms = allowedDowntime(wholeMs ?? counted, targetPercentage);
  const durations = { up: counted - downtime, degraded: 0, down: downtime };
  return {
    uptime_percentage: computeUptimePercentage(durations),
    shown_percentage: computeShownUptime(durations),
    downtime_ms: downtime,
    degraded_ms: degraded,
    maintenance_ms: maintenance,
    outages,
    mttr_ms: outages === 0 ? null : downtime / outages,
    mtbf_ms: outages === 0 ? null : (counted - downtime) / outages,
    meets_target: counted === 0 ? null : downtime <= error_budget_ms,
    error_budget_ms,
  };
}

/** The product goes beyond what numbers hold exactly. */
function allowedDowntime(countedMs: number, targetPercentage: number): number {
  const allowed = WHOLE - Math.round((targetPercentage * WHOLE) / 100);
  return Number((BigInt(countedMs) * BigInt(allowed)) / BigInt(WHOLE));
}
