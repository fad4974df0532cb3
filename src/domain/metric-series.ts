import type { MetricSample } from "../contract/push.ts";

/** Numbers of one metric over some time. Plain JSON. */
export type MetricSummary = [count: number, sum: number, min: number, max: number];
export type MetricSummaries = Map<string, MetricSummary>;

/** Distinct names that one stretch of time remembers; senders that invent names lose those beyond. */
const NAMES_MAX = 200;

/** What of a sample can be counted with: numbers, and flags as 0 and 1. */
export function numericMetrics({ fields, metrics }: Pick<MetricSample, "fields" | "metrics">): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const [name, value] of [...Object.entries(metrics), ...Object.entries(fields)]) {
    if (typeof value === "number") numbers.set(name, value);
    else if (typeof value === "boolean") numbers.set(name, value ? 1 : 0);
  }
  return numbers;
}

export function addNumbers(tallies: MetricSummaries, numbers: ReadonlyMap<string, number>): void {
  for (const [name, value] of numbers) mergeOne(tallies, name, [1, value, value, value]);
}

export function mergeTallies(into: MetricSummaries, more: Iterable<readonly [string, MetricSummary]>): void {
  for (const [name, tally] of more) mergeOne(into, name, tally);
}

function mergeOne(tallies: MetricSummaries, name: string, [count, sum, min, max]: MetricSummary): void {
  const known = tallies.get(name);
  if (known) tallies.set(name, [known[0] + count, known[1] + sum, Math.min(known[2], min), Math.max(known[3], max)]);
  else if (tallies.size < NAMES_MAX) tallies.set(name, [count, sum, min, max]);
}

/** Metrics in steps of a fixed length that start at the epoch. */
export class MetricBuckets {
  readonly #steps = new Map<number, MetricSummaries>();
  readonly stepMs: number;

  constructor(stepMs: number) {
    this.stepMs = stepMs;
  }

  /** The tallies of the step that an instant lies in. */
  at(instant: number): MetricSummaries {
    const start = Math.floor(instant / this.stepMs) * this.stepMs;
    const known = this.#steps.get(start);
    if (known) return known;
    const fresh: MetricSummaries = new Map();
    this.#steps.set(start, fresh);
    return fresh;
  }

  /** Oldest step first. */
  list(): [start: number, tallies: MetricSummaries][] {
    return [...this.#steps].sort(([a], [b]) => a - b);
  }
}

export interface Series {
  metric: string;
  points: { at: number; count: number; mean: number; min: number; max: number }[];
}

/** Metrics by name, each with the steps in which it was measured. */
export function toSeries(steps: readonly { at: number; tallies: readonly [string, MetricSummary][] }[]): Series[] {
  const series = new Map<string, Series>();
  for (const { at, tallies } of steps) {
    for (const [metric, [count, sum, min, max]] of tallies) {
      const known = series.get(metric) ?? { metric, points: [] };
      known.points.push({ at, count, mean: sum / count, min, max });
      series.set(metric, known);
    }
  }
  return [...series.values()].sort((a, b) => (a.metric < b.metric ? -1 : 1));
}

const STEP_SECONDS = [10, 60, 300, 900, 3600, 6 * 3600, 86_400];
const POINTS_WANTED = 120;
export const POINTS_MAX = 1000;

/** A step that shows a range in not too many points. */
export function chooseBucketSize(rangeMs: number): number {
  return STEP_SECONDS.find((seconds) => rangeMs <= seconds * 1000 * POINTS_WANTED) ?? 86_400;
}
