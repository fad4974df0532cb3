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
  /** When the last of the new results was checked; those after it were judged with what followed them. */
  last: number;
}

/**
 * What results, oldest first, say of the status once the monitor's thresholds are applied, as in monitor-state.ts: too
 * few failures in a row leave it as it was. Those after a gap before which nothing is known say nothing, and a run that begins
 * after the new results and is cut off by the end of the list changes nothing. `isDown` is the status at the first result.
 */
export function applyThresholds(
  results: readonly LateResult[],
  { failure_threshold, recovery_threshold }: Thresholds,
  { valid_for_ms, last: lastNew, isDown: wasDown }: Pick<BackfillLimits, "valid_for_ms" | "last"> & { isDown: boolean },
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
  const open = results.length - run;
  return results.flatMap((result, n) => {
    const status = statuses[n] ?? null;
    if (status === null) return [];
    const isCutOff = n >= open && (results[open]?.checked_at ?? lastNew) > lastNew;
    return [{ ...result, status, is_late: result.is_late && !isCutOff }];
  });
}

/** A time for which backfilled intervals say down. */
export interface BackfilledOutage extends Span {
  cause: string;
  evidence: StoredEvidence | null;
}

/** As it is stored; one that no late result said was announced, and is open while `ended_at` is null. */
export interface RecordedOutage {
  started_at: number;
  ended_at: number | null;
  cause: string;
  evidence: StoredEvidence | null;
  is_backfilled: boolean;
}

/**
 * The outages that late results say in and around a window, of which `intervals`, oldest first, are known. Results come in
 * parts of any size and order: what adjoins is one outage, with the first message and evidence of it. Downtime of an
 * announced outage, which lasts until a fresh check succeeds, is no other one.
 */
export function listBackfilledOutages(
  intervals: readonly SourcedInterval[],
  results: readonly LateResult[],
  { window, recorded }: { window: { from: number; to: number }; recorded: readonly RecordedOutage[] },
): BackfilledOutage[] {
  const [backfilled, announced] = [
    recorded.filter(({ is_backfilled }) => is_backfilled),
    recorded.filter(({ is_backfilled }) => !is_backfilled),
  ];
  const spans = [
    ...backfilled.flatMap(({ started_at, ended_at, cause, evidence }) => [
      { started_at, ended_at: Math.min(ended_at ?? started_at, window.from), cause, evidence },
      { started_at: Math.max(started_at, window.to), ended_at: ended_at ?? started_at, cause, evidence },
    ]),
    ...listDownSpans(intervals).map(({ started_at, ended_at }) =>
      describe(
        { started_at: Math.max(started_at, window.from), ended_at: Math.min(ended_at, window.to) },
        { results, backfilled },
      ),
    ),
  ].filter(({ started_at, ended_at }) => started_at < ended_at);
  return joinAdjoining(spans).filter(
    ({ started_at: at }) =>
      !announced.some(({ started_at, ended_at }) => started_at <= at && at < (ended_at ?? Number.POSITIVE_INFINITY)),
  );
}

interface Span {
  started_at: number;
  ended_at: number;
}

/** Its first failure may have come before these results. */
function describe(
  span: Span,
  { results, backfilled }: { results: readonly LateResult[]; backfilled: readonly RecordedOutage[] },
): BackfilledOutage {
  const first = results.findLast(({ checked_at }) => checked_at <= span.started_at);
  const withEvidence = results.find(
    ({ checked_at, status, evidence }) =>
      status === "down" && evidence !== undefined && checked_at >= span.started_at && checked_at < span.ended_at,
  );
  const former = backfilled.find(
    ({ started_at, ended_at }) => started_at <= span.started_at && span.started_at < (ended_at ?? 0),
  );
  return {
    ...span,
    cause: (first?.status === "down" ? first.message : former?.cause) ?? "",
    evidence: withEvidence?.evidence ?? former?.evidence ?? null,
  };
}

function joinAdjoining(spans: readonly BackfilledOutage[]): BackfilledOutage[] {
  const joined: BackfilledOutage[] = [];
  for (const span of spans.toSorted((a, b) => a.started_at - b.started_at)) {
    const last = joined.at(-1);
    if (last && span.started_at <= last.ended_at) {
      last.ended_at = Math.max(last.ended_at, span.ended_at);
      last.cause ||= span.cause;
      last.evidence ??= span.evidence;
    } else {
      joined.push({ ...span });
    }
  }
  return joined;
}

function listDownSpans(intervals: readonly SourcedInterval[]): Span[] {
  return intervals.flatMap(({ status, source, from_at, to_at }) =>
    status === "down" && source === "agent" && to_at !== null ? [{ started_at: from_at, ended_at: to_at }] : [],
  );
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

/** The parts of each stretch that can be backfilled; the stretches adjoin, oldest first. */
export function backfillStretches<Stretch extends SourcedInterval>(
  stretches: readonly Stretch[],
  measurements: readonly LateResult[],
  limits: BackfillLimits & Thresholds,
): { stretch: Stretch; pieces: SourcedInterval[] }[] {
  const begin = measurements[0]?.checked_at ?? 0;
  const before = stretches.find(
    ({ from_at, to_at }) => from_at <= begin && begin < (to_at ?? Number.POSITIVE_INFINITY),
  );
  const judged = applyThresholds(measurements, limits, { ...limits, isDown: before?.status === "down" });
  return stretches
    .filter(isBackfillable)
    .map((stretch) => ({ stretch, pieces: backfillInterval(stretch, judged, limits) }));
}

/** Merges equal neighbours. */
function append(pieces: SourcedInterval[], piece: SourcedInterval): void {
  const last = pieces.at(-1);
  if (last?.status === piece.status && last.source === piece.source) last.to_at = piece.to_at;
  else pieces.push(piece);
}
