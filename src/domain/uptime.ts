import type { MonitorStatus } from "../contract/monitor-values.ts";
import { HOUR_MS } from "../lib/durations.ts";
import { mergeSpans, type Span, splitAt } from "../lib/spans.ts";

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

/** A stretch of maintenance; what is not public is shown to the team alone. */
export interface MaintenanceSpan extends Span {
  is_public: boolean;
}

/**
 * Milliseconds by status. Time that is unknown, pending or paused is in none of them, so it counts for nothing; nor does
 * time in maintenance, which is neither up nor down.
 */
export interface StatusDurations {
  up: number;
  degraded: number;
  down: number;
  maintenance: number;
}

/** Milliseconds up, degraded and down: outside of maintenance, then in public, then in private maintenance. */
export type CoveredDurations = readonly number[];

const COUNTED: readonly MonitorStatus[] = ["up", "degraded", "down"];

/** How a page counts time in maintenance, and who reads it. */
export interface MaintenanceRule {
  /** False where the page's SLA policy counts it like any other time. */
  is_excluded: boolean;
  /** For readers who do not know of private maintenance: its time is not there at all. */
  hides_private?: boolean;
}

/** The one place that decides what time in maintenance is. */
export function countDurations(
  covered: CoveredDurations | null,
  { is_excluded, hides_private = false }: MaintenanceRule,
): StatusDurations {
  const at = (n: number) => covered?.[n] ?? 0;
  const sumOf = (status: number) => at(status) + at(3 + status) + at(6 + status);
  if (!is_excluded) return { up: sumOf(0), degraded: sumOf(1), down: sumOf(2), maintenance: 0 };
  const inPublic = at(3) + at(4) + at(5);
  const inPrivate = hides_private ? 0 : at(6) + at(7) + at(8);
  return { up: at(0), degraded: at(1), down: at(2), maintenance: inPublic + inPrivate };
}

interface Read {
  maintenance: readonly MaintenanceSpan[];
  now: number;
}

/**
 * How long each status held in each range, inside and outside of maintenance. Ranges and intervals are half-open and in
 * order. An interval ends no later than the next one begins, and the last one not after `now`.
 */
export function computeCoveredDurations(
  intervals: readonly StatusInterval[],
  ranges: readonly Span[],
  { maintenance, now }: Read,
): CoveredDurations[] {
  const tallies = ranges.map(() => Array.from({ length: 9 }, () => 0));
  const cover = splitByKind(maintenance);
  let first = 0;
  for (const [n, { status, from_at, to_at }] of intervals.entries()) {
    const end = Math.min(to_at ?? now, intervals[n + 1]?.from_at ?? now, now);
    while ((ranges[first]?.to_at ?? Number.POSITIVE_INFINITY) <= from_at) first++;
    const counted = COUNTED.indexOf(status);
    if (counted < 0) continue;
    for (let day = first; day < ranges.length; day++) {
      const range = ranges[day];
      const tally = tallies[day];
      if (!range || !tally || range.from_at >= end) break;
      const within = { from_at: Math.max(from_at, range.from_at), to_at: Math.min(end, range.to_at) };
      for (const [kind, length] of cover(within)) tally[3 * kind + counted] = (tally[3 * kind + counted] ?? 0) + length;
    }
  }
  return tallies;
}

/** The lengths of what a span has outside of maintenance, in public and, where that is not, in private maintenance. */
function splitByKind(maintenance: readonly MaintenanceSpan[]): (span: Span) => [kind: number, length: number][] {
  const ofPublic = mergeSpans(maintenance.filter(({ is_public }) => is_public));
  const ofPrivate = mergeSpans(maintenance.filter(({ is_public }) => !is_public));
  const lengthOf = ({ from_at, to_at }: Span) => Math.max(0, to_at - from_at);
  if (maintenance.length === 0) return (span) => [[0, lengthOf(span)]];
  return (span) =>
    splitAt(ofPublic, span).flatMap((piece): [number, number][] => {
      if (piece.isInside) return [[1, lengthOf(piece)]];
      return splitAt(ofPrivate, piece).map((rest) => [rest.isInside ? 2 : 0, lengthOf(rest)]);
    });
}

/** How long each status held in each range, as a page counts it. */
export function computeStatusDurations(
  intervals: readonly StatusInterval[],
  ranges: readonly Span[],
  read: Read & MaintenanceRule,
): StatusDurations[] {
  return computeCoveredDurations(intervals, ranges, read).map((covered) => countDurations(covered, read));
}

export const NO_DURATIONS: StatusDurations = { up: 0, degraded: 0, down: 0, maintenance: 0 };

export function sumStatusDurations(tallies: readonly StatusDurations[]): StatusDurations {
  const sum = { ...NO_DURATIONS };
  for (const tally of tallies) {
    sum.up += tally.up;
    sum.degraded += tally.degraded;
    sum.down += tally.down;
    sum.maintenance += tally.maintenance;
  }
  return sum;
}

/**
 * Share of the known time that was not down, in percent with at most three decimals; null where nothing is known.
 * Rounded down, so that only what never was down shows 100.
 */
export function computeUptimePercentage({
  up,
  degraded,
  down,
}: Pick<StatusDurations, "up" | "degraded" | "down">): number | null {
  const known = up + degraded + down;
  if (known === 0) return null;
  return down === 0 ? 100 : Math.floor(((up + degraded) / known) * 100_000) / 1000;
}

/** Less than this was measured: a percentage of it says nothing. */
export const TELLING_MIN_MS = HOUR_MS;

/** The percentage that people are shown; null also where too little was measured for one. */
export function computeShownUptime(durations: Pick<StatusDurations, "up" | "degraded" | "down">): number | null {
  const { up, degraded, down } = durations;
  return up + degraded + down < TELLING_MIN_MS ? null : computeUptimePercentage(durations);
}
