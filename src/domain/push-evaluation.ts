import { DEFAULT_REGION } from "../contract/check.ts";
import type { Push, PushedResult, StoredPush } from "../contract/monitor-object.ts";
import type { Heartbeat, MetricSample } from "../contract/push.ts";
import { evaluateHeartbeat, type HeartbeatEvaluation, type OpenRun } from "./heartbeat.ts";
import { numericMetrics } from "./metric-series.ts";
import type { MetricsRules, PushRules, PushState } from "./push-deadline.ts";
import type { RoundResult } from "./rounds.ts";
import { findCrossed } from "./thresholds.ts";

type Evaluation = Pick<RoundResult, "outcome" | "latency_ms" | "message">;

export interface PushEvaluation {
  /** Results for the monitor's state, oldest first; empty for pushes without a result (`start`, `log`). */
  results: RoundResult[];
  runs: OpenRun[];
  /** The push as stored. */
  entry: StoredPush;
}

/** Evaluates a push at the time of its arrival. */
export function evaluatePush(
  push: Pick<Push, "beat" | "samples">,
  memory: PushState,
  rules: PushRules,
  now: number,
): PushEvaluation {
  if (push.beat) return readOneBeat(push.beat, memory, rules, now);
  const samples = push.samples ?? [];
  const results = rules.kind === "heartbeat" ? [] : readSamples(samples, memory, rules, now);
  return { results, runs: memory.runs, entry: { received_at: now, samples } };
}

function readOneBeat(beat: Heartbeat, memory: PushState, rules: PushRules, now: number): PushEvaluation {
  const read = evaluateHeartbeat(beat, memory.runs, now);
  const { duration_ms, runs } = read;
  const entry = { received_at: now, beat: { ...beat, duration_ms } };
  const judged = evaluateBeat(read, rules);
  if (!judged) return { results: [], runs, entry };
  const slot_at = nextSlot(memory.result?.slot_at, now);
  return { results: [{ region: DEFAULT_REGION, slot_at, attempt: 0, checked_at: now, ...judged }], runs, entry };
}

function evaluateBeat({ outcome, duration_ms, message }: HeartbeatEvaluation, rules: PushRules): Evaluation | null {
  if (outcome === null) return null;
  const isSlow = outcome === "success" && isOver(duration_ms, rules.latency_threshold_ms);
  return { outcome: isSlow ? "slow" : outcome, latency_ms: duration_ms, message };
}

/**
 * Results of a stored push, newest first. Choice: by the current thresholds, because a push is
 * stored unevaluated.
 */
export function evaluateStoredPush({ received_at, beat, samples }: StoredPush, rules: PushRules): PushedResult[] {
  if (beat) {
    const judged = evaluateBeat(evaluateHeartbeat(beat, [], received_at), rules);
    const { run_id, exit_code, status, duration_ms } = beat;
    const told = { outcome: null, latency_ms: duration_ms, message: beat.message ?? status };
    const kind = status === "start" || status === "log" ? status : "check";
    return [{ kind, checked_at: received_at, received_at, ...(judged ?? told), details: { run_id, exit_code } }];
  }
  if (rules.kind === "heartbeat") return [];
  return (samples ?? []).toReversed().map((sample) => ({
    kind: "check",
    checked_at: Math.min(sample.at ?? received_at, received_at),
    received_at,
    ...evaluateSample(sample, rules),
    details: sample.fields,
  }));
}

/**
 * A sample with a timestamp counts at that time: one that is not newer than the newest known is history. A timestamp in
 * the future comes from a fast clock and counts as now.
 */
function readSamples(
  samples: readonly MetricSample[],
  memory: PushState,
  rules: MetricsRules,
  now: number,
): RoundResult[] {
  const inOrder = [...samples].sort((a, b) => (a.at ?? now) - (b.at ?? now));
  let last = memory.result?.slot_at;
  return inOrder.map((sample) => {
    const isDated = sample.at !== null && sample.at <= now;
    const checked_at = isDated ? (sample.at ?? now) : now;
    const slot_at = isDated ? checked_at : nextSlot(last, now);
    last = Math.max(last ?? slot_at, slot_at);
    return { region: DEFAULT_REGION, slot_at, attempt: 0, checked_at, ...evaluateSample(sample, rules) };
  });
}

/** Several may arrive in one millisecond, and each counts. */
export function nextSlot(last: number | undefined, now: number): number {
  return last === undefined ? now : Math.max(now, last + 1);
}

function evaluateSample(sample: MetricSample, rules: MetricsRules): Evaluation {
  const numbers = numericMetrics(sample);
  const latency_ms = numbers.get("latency_ms") ?? null;
  if (numbers.get("is_error") === 1) return { outcome: "failure", latency_ms, message: "the push reports an error" };
  const crossed = findCrossed(rules.thresholds, numbers);
  if (crossed) {
    const { metric, operator, value, status } = crossed.threshold;
    const message = `${metric} is ${crossed.actual}, ${status} when ${operator} ${value}`;
    return { outcome: status === "down" ? "failure" : "slow", latency_ms, message };
  }
  if (isOver(latency_ms, rules.latency_threshold_ms)) {
    return { outcome: "slow", latency_ms, message: `latency_ms is over ${rules.latency_threshold_ms}` };
  }
  return { outcome: "success", latency_ms, message: "metrics received" };
}

function isOver(latencyMs: number | null, thresholdMs: number | null): boolean {
  return latencyMs !== null && thresholdMs !== null && latencyMs > thresholdMs;
}
