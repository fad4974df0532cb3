import { PHASES, type PhaseName, type PhaseTimes } from "../contract/phases.ts";
import type { ByteReader, ByteWriter } from "../lib/varint.ts";

/** How long the phases of so many checks took together. */
export interface PhaseTally {
  checks: number;
  /** In the order of PHASES. */
  sums: readonly number[];
}

export interface MeanPhases extends Record<PhaseName, number | null> {
  checks: number;
}

export function addPhases(tallies: readonly PhaseTally[]): PhaseTally {
  return {
    checks: tallies.reduce((sum, { checks }) => sum + checks, 0),
    sums: PHASES.map((_, n) => tallies.reduce((sum, { sums }) => sum + (sums[n] ?? 0), 0)),
  };
}

/** A phase that did not occur took no time. */
export function tallyPhases(measured: readonly PhaseTimes[]): PhaseTally {
  return addPhases(measured.map((times) => ({ checks: 1, sums: times.map((ms) => ms ?? 0) })));
}

/** What a check spent in each phase on average, so that their sum is its mean time; null for those that no check had. */
export function meanPhases({ checks, sums }: PhaseTally): MeanPhases | null {
  if (checks === 0) return null;
  const [lookup_ms, connect_ms, tls_ms, first_byte_ms, transfer_ms, undivided_ms] = sums.map((sum) =>
    sum > 0 ? round(sum / checks) : null,
  );
  return {
    lookup_ms: lookup_ms ?? null,
    connect_ms: connect_ms ?? null,
    tls_ms: tls_ms ?? null,
    first_byte_ms: first_byte_ms ?? null,
    transfer_ms: transfer_ms ?? null,
    undivided_ms: undivided_ms ?? null,
    checks,
  };
}

/** The means of several places in one step, each weighed by its checks. */
export function joinMeans(means: readonly MeanPhases[]): MeanPhases | null {
  return meanPhases(
    addPhases(means.map((each) => ({ checks: each.checks, sums: PHASES.map((p) => (each[p] ?? 0) * each.checks) }))),
  );
}

const round = (ms: number) => Math.round(ms * 10) / 10;

export function writePhases(writer: ByteWriter, { checks, sums }: PhaseTally): void {
  writer.integer(checks);
  for (const sum of sums) writer.integer(Math.round(sum));
}

export function readPhases(reader: ByteReader): PhaseTally {
  return { checks: reader.integer(), sums: PHASES.map(() => reader.integer()) };
}
