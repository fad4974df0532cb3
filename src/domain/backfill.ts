import type { MonitorStatus } from "../contract/monitor-values.ts";

/**
 * Backfills an unknown status interval from results that arrived late. A result is valid from its check until the next
 * one, and no longer than a result in time.
 */

export type IntervalSource = "check" | "agent" | "push" | "unreachable";

/** Half-open; `to_at` is null while it lasts. */
export interface SourcedInterval {
  status: MonitorStatus;
  from_at: number;
  to_at: number | null;
  source: IntervalSource;
}

export interface LateResult {
  checked_at: number;
  status: "up" | "down" | "degraded";
  /** False: it only ends the previous result, because the monitor's object has already processed it. */
  is_late: boolean;
}

export interface BackfillLimits {
  /** How long a result is valid when no other follows. */
  valid_for_ms: number;
  /** End of the backfill: the monitor's object decides the status from here on. */
  until: number;
}

/** Unknown intervals can be backfilled, and backfilled ones can be refined. */
export function isBackfillable({ status, source }: Pick<SourcedInterval, "status" | "source">): boolean {
  return status === "unknown" || status === "pending" || source === "agent";
}

/**
 * Divides one interval by results, oldest first. The parts cover it without gap or overlap; time without a valid result
 * stays unchanged.
 */
export function backfillInterval(
  stretch: SourcedInterval,
  measurements: readonly LateResult[],
  reach: BackfillLimits,
): SourcedInterval[] {
  if (!isBackfillable(stretch)) return [stretch];
  const end = stretch.to_at ?? Number.POSITIVE_INFINITY;
  const pieces: SourcedInterval[] = [];
  let covered = stretch.from_at;
  for (const [n, { checked_at, status, is_late }] of measurements.entries()) {
    if (!is_late) continue;
    const next = measurements[n + 1]?.checked_at ?? Number.POSITIVE_INFINITY;
    const from_at = Math.max(checked_at, covered);
    const to_at = Math.min(next, checked_at + reach.valid_for_ms, reach.until, end);
    if (from_at >= to_at) continue;
    if (from_at > covered) append(pieces, { ...stretch, from_at: covered, to_at: from_at });
    append(pieces, { status, from_at, to_at, source: "agent" });
    covered = to_at;
  }
  if (covered < end || pieces.length === 0) append(pieces, { ...stretch, from_at: covered });
  return pieces;
}

/** Merges equal neighbours. */
function append(pieces: SourcedInterval[], piece: SourcedInterval): void {
  const last = pieces.at(-1);
  if (last?.status === piece.status && last.source === piece.source) last.to_at = piece.to_at;
  else pieces.push(piece);
}
