import type { CheckOutcome } from "../contract/check.ts";
import type { RegionPolicy } from "../contract/monitor-values.ts";
import { TUNE_DAYS_MIN, type TunedThresholds } from "../contract/threshold-tuner.ts";
import { DAY_MS } from "../lib/durations.ts";
import { computeVerdict } from "./rounds.ts";

const MONTH_DAYS = 30;
const FALSE_ALARMS_DEFAULT = 1;
const THRESHOLD_MAX = 20;
const RECOVERY_CANDIDATES = [1, 2, 3, 4, 5];
/** A longer pause between two rounds than so many intervals means missed slots, which end a run of failures. */
const MISSED_SLOTS = 1.5;
/** Alerts about less than so many intervals count as false alarms. */
const SHORT_INTERVALS = 2;

/** One round of checks with a verdict. */
export interface TunedRound {
  at: number;
  has_failed: boolean;
  /** Null where none was measured. */
  latency_ms: number | null;
}

/** One check of one region. */
export interface RegionCheck {
  at: number;
  region: string;
  outcome: CheckOutcome;
  latency_ms: number | null;
}

/**
 * Rounds with a verdict, in the order of time. History does not keep which checks were one round: a round ends before a
 * region's next check.
 */
export function buildRounds(checks: readonly RegionCheck[], region_policy: RegionPolicy): TunedRound[] {
  const rounds: TunedRound[] = [];
  let open = new Map<string, RegionCheck>();
  const close = () => {
    const round = toRound([...open.values()], region_policy);
    if (round) rounds.push(round);
    open = new Map();
  };
  for (const check of checks.toSorted((a, b) => a.at - b.at)) {
    if (open.has(check.region)) close();
    open.set(check.region, check);
  }
  close();
  return rounds;
}

function toRound(checks: readonly RegionCheck[], region_policy: RegionPolicy): TunedRound | null {
  const [first] = checks;
  const regions = checks.map(({ region }) => region);
  const results = Object.fromEntries(checks.map((check) => [check.region, check]));
  const verdict = computeVerdict(results, { regions, region_policy });
  if (!first || verdict === null) return null;
  const measured = checks.flatMap(({ outcome, latency_ms }) => (outcome === "failure" ? [] : (latency_ms ?? [])));
  const latency_ms = measured.length === 0 ? null : measured.reduce((sum, each) => sum + each, 0) / measured.length;
  return { at: first.at, has_failed: verdict === "failure", latency_ms };
}

export interface Thresholds {
  failure_threshold: number;
  recovery_threshold: number;
  /** Null: the monitor is never degraded. */
  latency_threshold_ms: number | null;
}

export interface TunerTiming {
  interval_ms: number;
  /** Checks repeat after this until the failure threshold decides. */
  retry_interval_ms: number;
  /** Without a round for so long, the status is unknown. */
  stale_after_ms: number;
}

export interface TunerLimits {
  max_false_alarms_per_month: number | null;
  max_delay_seconds: number | null;
}

export type Tuning =
  | { ok: true; current: TunedThresholds; proposed: TunedThresholds; reason: string }
  | { ok: false; code: "not_enough_history" };

export interface TunerInput {
  /** In the order of time; the monitor's, without errors of the checker. */
  rounds: readonly TunedRound[];
  thresholds: Thresholds;
  timing: TunerTiming;
  limits: TunerLimits;
  /** The end of the history. */
  to: number;
}

/** Replays the history under other thresholds and proposes the fastest ones that keep within the limits. */
export function tuneThresholds(input: TunerInput): Tuning {
  const { rounds, thresholds, timing, limits, to } = input;
  const from = rounds[0]?.at ?? to;
  if (to - from < TUNE_DAYS_MIN * DAY_MS) return { ok: false, code: "not_enough_history" };
  const alarmsMax = limits.max_false_alarms_per_month ?? FALSE_ALARMS_DEFAULT;
  const allowed = alarmsMax * ((to - from) / (MONTH_DAYS * DAY_MS));

  const current = replay(rounds, thresholds, timing);
  const counts = chooseCounts(input, allowed);
  const latency_threshold_ms = chooseLatency(input, { ...counts.chosen, allowed });
  const proposedThresholds = { ...counts.chosen, latency_threshold_ms };
  const proposed = replay(rounds, proposedThresholds, timing);
  const isSame = Object.entries(proposedThresholds).every(
    ([name, value]) => thresholds[name as keyof Thresholds] === value,
  );
  return {
    ok: true,
    current: summarize(thresholds, current),
    proposed: summarize(proposedThresholds, proposed),
    reason: isSame && counts.isWithin ? "the current thresholds keep within the limits" : counts.reason,
  };
}

interface Replayed {
  outages: { started_at: number; confirmed_at: number; ended_at: number | null }[];
  degradations: number;
  short_outages: number;
  short_degradations: number;
}

/**
 * The status machine of a monitor over its history. Under a higher failure threshold than the one of the time, retries
 * would have come at the retry interval; where a later failure shows that the target was still failing then, the outage
 * is confirmed at that time.
 */
export function replay(rounds: readonly TunedRound[], thresholds: Thresholds, timing: TunerTiming): Replayed {
  const { failure_threshold, recovery_threshold, latency_threshold_ms } = thresholds;
  const shortMs = SHORT_INTERVALS * timing.interval_ms;
  const result: Replayed = { outages: [], degradations: 0, short_outages: 0, short_degradations: 0 };
  let status: "up" | "down" | "degraded" | "unknown" = "unknown";
  let run = { count: 0, since: 0 };
  let degradedAt = 0;
  let isOpen = false;
  let before: number | null = null;
  const close = (at: number) => {
    const outage = result.outages.at(-1);
    if (!isOpen || !outage) return;
    isOpen = false;
    outage.ended_at = at;
    if (at - outage.started_at < shortMs) result.short_outages += 1;
  };
  const leaveDegraded = (at: number) => {
    if (status === "degraded" && at - degradedAt < shortMs) result.short_degradations += 1;
  };

  for (const { at, has_failed, latency_ms } of rounds) {
    const pause = before === null ? 0 : at - before;
    before = at;
    if (pause > timing.stale_after_ms) {
      status = "unknown";
      run = { count: 0, since: at };
    } else if (pause > MISSED_SLOTS * timing.interval_ms && status !== "down") run = { count: 0, since: at };

    const countsAgainst = has_failed === (status !== "down");
    if (!countsAgainst) {
      run = { count: 0, since: at };
      if (has_failed) continue;
      const isSlow = latency_threshold_ms !== null && latency_ms !== null && latency_ms > latency_threshold_ms;
      if (status === "unknown") {
        status = "up";
        close(at);
      } else if (status === "up" && isSlow) {
        status = "degraded";
        degradedAt = at;
        result.degradations += 1;
      } else if (status === "degraded" && !isSlow) {
        leaveDegraded(at);
        status = "up";
      }
      continue;
    }
    run = { count: run.count + 1, since: run.count === 0 ? at : run.since };
    if (status === "down") {
      if (run.count < recovery_threshold) continue;
      status = "up";
      close(run.since);
    } else {
      const retriedUntil = run.since + (failure_threshold - 1) * timing.retry_interval_ms;
      if (run.count < failure_threshold && at < retriedUntil) continue;
      leaveDegraded(run.since);
      status = "down";
      const confirmed_at = run.count < failure_threshold ? retriedUntil : at;
      if (!isOpen) result.outages.push({ started_at: run.since, confirmed_at, ended_at: null });
      isOpen = true;
    }
    run = { count: 0, since: at };
  }
  return result;
}

interface Choice {
  chosen: { failure_threshold: number; recovery_threshold: number };
  isWithin: boolean;
  reason: string;
}

/** The quickest pair of thresholds within the limits; where there is none, the one with the fewest false alarms. */
function chooseCounts({ rounds, thresholds, timing, limits }: TunerInput, allowed: number): Choice {
  const current = {
    failure_threshold: thresholds.failure_threshold,
    recovery_threshold: thresholds.recovery_threshold,
  };
  if (!rounds.some(({ has_failed }) => has_failed)) {
    return { chosen: current, isWithin: true, reason: "no check failed, so that nothing speaks for other thresholds" };
  }
  const decisive = selectDecisive(rounds, timing);
  const delayMaxMs = (limits.max_delay_seconds ?? Number.POSITIVE_INFINITY) * 1000;
  const candidates = listCandidates(current).map((pair) => {
    const { outages, short_outages } = replay(decisive, { ...pair, latency_threshold_ms: null }, timing);
    const expectedMs = (pair.failure_threshold - 1) * timing.retry_interval_ms;
    const isQuick = Math.max(expectedMs, computeDelayP95(outages) ?? 0) <= delayMaxMs;
    const cost = expectedMs + (pair.recovery_threshold - 1) * timing.interval_ms;
    return { pair, short_outages, isQuick, cost };
  });
  const quick = candidates.filter(({ isQuick }) => isQuick);
  const [best] = quick.filter(({ short_outages }) => short_outages <= allowed).sort((a, b) => a.cost - b.cost);
  if (best) {
    return { chosen: best.pair, isWithin: true, reason: "these thresholds announce outages soonest within the limits" };
  }
  const [closest] = (quick.length > 0 ? quick : candidates).sort(
    (a, b) => a.short_outages - b.short_outages || a.cost - b.cost,
  );
  const reason =
    quick.length > 0
      ? "no thresholds keep within max_false_alarms_per_month; these have the fewest false alarms"
      : "no thresholds keep within max_delay_seconds; these have the fewest false alarms";
  return { chosen: closest?.pair ?? current, isWithin: false, reason };
}

function listCandidates(current: Choice["chosen"]): Choice["chosen"][] {
  const recoveries = [...new Set([current.recovery_threshold, ...RECOVERY_CANDIDATES])];
  return Array.from({ length: THRESHOLD_MAX }, (_, n) => n + 1).flatMap((failure_threshold) =>
    recoveries.map((recovery_threshold) => ({ failure_threshold, recovery_threshold })),
  );
}

/**
 * What the choice of the two thresholds can depend on: failures, the successes that may still belong to a recovery, and
 * one success on both sides of each pause. It is a small part of the history of a healthy monitor.
 */
export function selectDecisive(rounds: readonly TunedRound[], { interval_ms }: TunerTiming): TunedRound[] {
  const decisive: TunedRound[] = [];
  let successes = Number.POSITIVE_INFINITY;
  for (const [n, round] of rounds.entries()) {
    const next = rounds[n + 1];
    const isBeforePause = next !== undefined && (next.has_failed || next.at - round.at > MISSED_SLOTS * interval_ms);
    const isAfterPause = n > 0 && round.at - (rounds[n - 1]?.at ?? 0) > MISSED_SLOTS * interval_ms;
    successes = round.has_failed ? 0 : successes + 1;
    if (successes <= THRESHOLD_MAX || isBeforePause || isAfterPause || n === 0) decisive.push(round);
  }
  return decisive;
}

/** Choice: a threshold that is not set stays so, and one that keeps within the limit is not lowered. */
function chooseLatency(
  { rounds, thresholds, timing }: TunerInput,
  { allowed, ...counts }: Choice["chosen"] & { allowed: number },
): number | null {
  const current = thresholds.latency_threshold_ms;
  if (current === null) return null;
  const latencies = Float64Array.from(rounds.flatMap(({ latency_ms }) => latency_ms ?? [])).sort();
  const percentile = (share: number) => latencies[Math.max(0, Math.ceil(share * latencies.length) - 1)] ?? 0;
  const higher = [0.95, 0.99, 0.999, 1]
    .map((share) => Math.ceil(percentile(share) / 50) * 50)
    .filter((ms) => ms > current);
  const fits = (latency_threshold_ms: number) =>
    replay(rounds, { ...counts, latency_threshold_ms }, timing).short_degradations <= allowed;
  return [current, ...higher].find(fits) ?? current;
}

function summarize(thresholds: Thresholds, { outages, degradations, short_outages }: Replayed): TunedThresholds {
  const delayMs = computeDelayP95(outages);
  return {
    ...thresholds,
    announced: outages.length + degradations,
    short_outages,
    delay_p95_seconds: delayMs === null ? null : delayMs / 1000,
  };
}

function computeDelayP95(outages: Replayed["outages"]): number | null {
  const delays = outages.map(({ started_at, confirmed_at }) => confirmed_at - started_at).sort((a, b) => a - b);
  return delays[Math.ceil(0.95 * delays.length) - 1] ?? null;
}
