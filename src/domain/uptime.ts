import type { MonitorStatus } from "../contract/monitor-values.ts";

/** A stretch of one status; `to_at` is null while it lasts. */
export interface StatusInterval {
  status: MonitorStatus;
  from_at: number;
  to_at: number | null;
}

/** In the order of time; of those that begin together all but the last have no length. */
export function byTime(a: { from_at: number; seq: number }, b: { from_at: number; seq: number }): number {
  return a.from_at - b.from_at || a.seq - b.seq;
}

/** Milliseconds by status. Time that is unknown, pending or paused is in none of them, so it counts for nothing. */
export interface StatusDurations {
  up: number;
  degraded: number;
  down: number;
}

/**
 * How long each status held in each range. Ranges and intervals are half-open and in order. An
 * interval ends no later than the next one begins, and the last one not after `now`.
 */
export function computeStatusDurations(
  intervals: readonly StatusInterval[],
  ranges: readonly { from_at: number; to_at: number }[],
  now: number,
): StatusDurations[] {
  const tallies = ranges.map(() => ({ up: 0, degraded: 0, down: 0 }));
  let first = 0;
  for (const [n, { status, from_at, to_at }] of intervals.entries()) {
    const end = Math.min(to_at ?? now, intervals[n + 1]?.from_at ?? now, now);
    while ((ranges[first]?.to_at ?? Number.POSITIVE_INFINITY) <= from_at) first++;
    if (status !== "up" && status !== "degraded" && status !== "down") continue;
    for (let day = first; day < ranges.length; day++) {
      const range = ranges[day];
      const tally = tallies[day];
      if (!range || !tally || range.from_at >= end) break;
      tally[status] += Math.max(0, Math.min(end, range.to_at) - Math.max(from_at, range.from_at));
    }
  }
  return tallies;
}

export function sumStatusDurations(tallies: readonly StatusDurations[]): StatusDurations {
  const sum: StatusDurations = { up: 0, degraded: 0, down: 0 };
  for (const tally of tallies) {
    sum.up += tally.up;
    sum.degraded += tally.degraded;
    sum.down += tally.down;
  }
  return sum;
}

/**
 * Share of the known time that was not down, in percent with at most three decimals; null where nothing is known.
 * Rounded down, so that only what never was down shows 100.
 */
export function computeUptimePercentage({ up, degraded, down }: StatusDurations): number | null {
  const known = up + degraded + down;
  if (known === 0) return null;
  return down === 0 ? 100 : Math.floor(((up + degraded) / known) * 100_000) / 1000;
}
