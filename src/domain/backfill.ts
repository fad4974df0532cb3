import type { MonitorStatus } from "../contract/monitor-values.ts";

/**
 * What was measured while nobody could tell us, put into the stretch that we had to call unknown. Results speak from
 * their check until the next one, and no longer than they would have been believed.
 */

export type IntervalSource = "check" | "agent" | "push";

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
  /** False: it only ends what the one before it says, because its own say went through the monitor's object. */
  is_late: boolean;
}

export interface BackfillLimits {
  /** How long a result speaks when no other follows. */
  valid_for_ms: number;
  /** Nothing is filled in from here on: the present belongs to the monitor's object. */
  until: number;
}

/** Only what nobody vouched for can be filled in, and what was filled in can be told more exactly. */
export function isBackfillable({ status, source }: Pick<SourcedInterval, "status" | "source">): boolean {
  return status === "unknown" || status === "pending" || source === "agent";
}

/**
 * The pieces into which results, oldest first, divide one stretch. Together they cover it without gap or overlap; what
 * no result reaches stays as it was.
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

/** Neighbours that say the same are one. */
function append(pieces: SourcedInterval[], piece: SourcedInterval): void {
  const last = pieces.at(-1);
  if (last?.status === piece.status && last.source === piece.source) last.to_at = piece.to_at;
  else pieces.push(piece);
}
