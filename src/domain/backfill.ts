import type { StoredEvidence } from "../contract/check.ts";
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
  message: string;
  /** False: it only ends the previous result, because the monitor's object has already processed it. */
  is_late: boolean;
  /** What the target answered; known of results that have just arrived. */
  evidence?: StoredEvidence;
}

export interface Thresholds {
  failure_threshold: number;
  recovery_threshold: number;
}

export interface BackfillLimits {
  /** How long a result is valid when no other follows. */
  valid_for_ms: number;
  /** End of the backfill: the monitor's object decides the status from here on. */
  until: number;
}

/**
 * What results, oldest first, say of the status once the monitor's thresholds are applied, as in monitor-state.ts: too
 * few failures in a row leave it as it was. Those after a gap before which nothing is known say nothing. `isDown` is the
 * status at the first result.
 */
export function applyThresholds(
  results: readonly LateResult[],
  { failure_threshold, recovery_threshold }: Thresholds,
  { valid_for_ms, isDown: wasDown }: { valid_for_ms: number; isDown: boolean },
): LateResult[] {
  const statuses: (LateResult["status"] | null)[] = [];
  let isDown = wasDown;
  let last: LateResult["status"] | null = wasDown ? "down" : null;
  let run = 0;
  for (const [n, { checked_at, status }] of results.entries()) {
    const previous = results[n - 1];
    if (previous && checked_at - previous.checked_at > valid_for_ms) {
      isDown = false;
      last = null;
      run = 0;
    }
    if (isDown === (status === "down")) {
      run = 0;
      last = status;
    } else {
      run += 1;
    }
    statuses.push(last);
    if (run > 0 && run >= (isDown ? recovery_threshold : failure_threshold)) {
      // Dated back to the first of the run.
      for (let each = n - run + 1; each <= n; each++) statuses[each] = results[each]?.status ?? null;
      isDown = !isDown;
      last = status;
      run = 0;
    }
  }
  return results.flatMap((result, n) => {
    const status = statuses[n] ?? null;
    return status === null ? [] : [{ ...result, status }];
  });
}

/** A time for which backfilled intervals say down. */
export interface BackfilledOutage {
  started_at: number;
  ended_at: number;
  cause: string;
  evidence: StoredEvidence | null;
}

/** The outages that intervals, oldest first, were backfilled with, each with its first message and evidence. */
export function listBackfilledOutages(
  intervals: readonly SourcedInterval[],
  results: readonly LateResult[],
): BackfilledOutage[] {
  const failures = results.filter(({ status }) => status === "down");
  return listDownSpans(intervals).map(({ started_at, ended_at }) => {
    const during = failures.filter(({ checked_at }) => checked_at >= started_at && checked_at < ended_at);
    return {
      started_at,
      ended_at,
      cause: failures.findLast(({ checked_at }) => checked_at <= started_at)?.message ?? "",
      evidence: during.find(({ evidence }) => evidence !== undefined)?.evidence ?? null,
    };
  });
}

function listDownSpans(intervals: readonly SourcedInterval[]) {
  const spans: { started_at: number; ended_at: number }[] = [];
  for (const { status, source, from_at, to_at } of intervals) {
    if (status !== "down" || source !== "agent" || to_at === null) continue;
    const open = spans.at(-1);
    if (open?.ended_at === from_at) open.ended_at = to_at;
    else spans.push({ started_at: from_at, ended_at: to_at });
  }
  return spans;
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
