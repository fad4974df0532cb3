import type { ByteReader, ByteWriter } from "../lib/varint.ts";
import { addPhases, type PhaseTally, readPhases, writePhases } from "./phase-tally.ts";

/**
 * What latency is usual. Samples are counted in buckets that grow by a tenth each, so that any number of them takes
 * little room, hours can be added up, and a percentile is right within five per cent.
 */
export interface LatencyHistogram {
  count: number;
  sum: number;
  sum_of_squares: number;
  min: number;
  max: number;
  /** Samples per bucket; sparse. */
  buckets: Map<number, number>;
  /** Of those whose phases were measured; absent without any. */
  phases?: PhaseTally;
}

const GROWTH = Math.log(1.1);
/** Choice: three days of samples show what is usual, because most loads repeat by the day. */
export const BASELINE_NEEDED_DAYS = 3;
const READY_SAMPLES = 100;
/** Of one hour of the day, for a mean and a deviation that a few outliers do not make. */
const READY_SAMPLES_OF_HOUR = 30;

function emptyTally(): LatencyHistogram {
  return { count: 0, sum: 0, sum_of_squares: 0, min: 0, max: 0, buckets: new Map() };
}

/** `weight`: how often each sample occurred. */
export function tallyOf(samples: readonly number[], weight = 1): LatencyHistogram {
  const tally = emptyTally();
  for (const sample of samples) {
    const bucket = bucketOf(sample);
    tally.min = tally.count === 0 ? sample : Math.min(tally.min, sample);
    tally.max = Math.max(tally.max, sample);
    tally.count += weight;
    tally.sum += sample * weight;
    tally.sum_of_squares += sample * sample * weight;
    tally.buckets.set(bucket, (tally.buckets.get(bucket) ?? 0) + weight);
  }
  return tally;
}

export function addTallies(tallies: readonly LatencyHistogram[]): LatencyHistogram {
  const total = emptyTally();
  for (const tally of tallies.filter(({ count }) => count > 0)) {
    total.min = total.count === 0 ? tally.min : Math.min(total.min, tally.min);
    total.max = Math.max(total.max, tally.max);
    total.count += tally.count;
    total.sum += tally.sum;
    total.sum_of_squares += tally.sum_of_squares;
    for (const [bucket, count] of tally.buckets) total.buckets.set(bucket, (total.buckets.get(bucket) ?? 0) + count);
  }
  const phases = tallies.flatMap((tally) => tally.phases ?? []);
  return phases.length === 0 ? total : { ...total, phases: addPhases(phases) };
}

export function meanOf(tally: LatencyHistogram): number | null {
  return tally.count === 0 ? null : tally.sum / tally.count;
}

export function deviationOf(tally: LatencyHistogram): number | null {
  const mean = meanOf(tally);
  return mean === null ? null : Math.sqrt(Math.max(0, tally.sum_of_squares / tally.count - mean * mean));
}

/** The latency that this share of the samples (0 to 1) does not exceed. */
export function percentileOf(tally: LatencyHistogram, share: number): number | null {
  if (tally.count === 0) return null;
  const rank = Math.max(1, Math.ceil(share * tally.count));
  if (rank === 1) return tally.min;
  if (rank === tally.count) return tally.max;
  let seen = 0;
  for (const [bucket, count] of [...tally.buckets].sort(([a], [b]) => a - b)) {
    seen += count;
    if (seen >= rank) return Math.min(tally.max, Math.max(tally.min, middleOf(bucket)));
  }
  return tally.max;
}

/** `hours`: in how many hours the samples were measured. */
export function isReady({ count }: LatencyHistogram, hours: number): boolean {
  return hours >= BASELINE_NEEDED_DAYS * 24 && count >= READY_SAMPLES;
}

/** The same for one hour of the day, whose samples were measured on so many days. */
export function isHourReady({ count }: LatencyHistogram, days: number): boolean {
  return days >= BASELINE_NEEDED_DAYS && count >= READY_SAMPLES_OF_HOUR;
}

function bucketOf(latencyMs: number): number {
  return Math.round(Math.log(latencyMs + 1) / GROWTH);
}

function middleOf(bucket: number): number {
  return Math.exp(bucket * GROWTH) - 1;
}

/** Phases stand at its end, where a reader of its own bytes finds them. */
export function writeTally(writer: ByteWriter, tally: LatencyHistogram): void {
  writer.integer(tally.count).integer(Math.round(tally.sum)).integer(Math.round(tally.sum_of_squares));
  writer.integer(Math.round(tally.min)).integer(Math.round(tally.max)).integer(tally.buckets.size);
  for (const [bucket, count] of tally.buckets) writer.integer(bucket).integer(count);
  if (tally.phases) writePhases(writer, tally.phases);
}

export function readTally(reader: ByteReader): LatencyHistogram {
  const tally = emptyTally();
  tally.count = reader.integer();
  tally.sum = reader.integer();
  tally.sum_of_squares = reader.integer();
  tally.min = reader.integer();
  tally.max = reader.integer();
  for (let left = reader.integer(); left > 0; left--) tally.buckets.set(reader.integer(), reader.integer());
  return reader.isAtEnd ? tally : { ...tally, phases: readPhases(reader) };
}

/** As JSON, for rows of the database. */
export type PackedLatency = [
  count: number,
  sum: number,
  sum_of_squares: number,
  min: number,
  max: number,
  buckets: [number, number][],
];

export function packLatency({ count, sum, sum_of_squares, min, max, buckets }: LatencyHistogram): PackedLatency {
  return [count, sum, sum_of_squares, min, max, [...buckets]];
}

export function unpackLatency([count, sum, sum_of_squares, min, max, buckets]: PackedLatency): LatencyHistogram {
  return { count, sum, sum_of_squares, min, max, buckets: new Map(buckets) };
}
