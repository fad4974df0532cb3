import { DEFAULT_REGION } from "../contract/check.ts";
import type { Push, PushEntry } from "../contract/monitor-object.ts";
import type { Beat, Sample } from "../contract/push.ts";
import { type OpenRun, readBeat } from "./heartbeat.ts";
import { numbersOf } from "./metrics.ts";
import type { MetricsRules, PushMemory, PushRules } from "./push-deadline.ts";
import type { RoundResult } from "./rounds.ts";
import { findCrossed } from "./thresholds.ts";

export interface ReadPush {
  /** What it reports to the monitor's state, oldest first; nothing where it only tells. */
  results: RoundResult[];
  runs: OpenRun[];
  /** As it is kept. */
  entry: PushEntry;
}

/** What a push means at the instant at which it arrives. */
export function readPush(
  push: Pick<Push, "beat" | "samples">,
  memory: PushMemory,
  rules: PushRules,
  now: number,
): ReadPush {
  if (push.beat) return readOneBeat(push.beat, memory, rules, now);
  const samples = push.samples ?? [];
  const results = rules.kind === "heartbeat" ? [] : readSamples(samples, memory, rules, now);
  return { results, runs: memory.runs, entry: { received_at: now, samples } };
}

function readOneBeat(beat: Beat, memory: PushMemory, rules: PushRules, now: number): ReadPush {
  const { outcome, duration_ms, message, runs } = readBeat(beat, memory.runs, now);
  const entry = { received_at: now, beat: { ...beat, duration_ms } };
  if (outcome === null) return { results: [], runs, entry };
  const isSlow = outcome === "success" && isOver(duration_ms, rules.latency_threshold_ms);
  const result: RoundResult = {
    region: DEFAULT_REGION,
    slot_at: nextSlot(memory.result?.slot_at, now),
    attempt: 0,
    checked_at: now,
    outcome: isSlow ? "slow" : outcome,
    latency_ms: duration_ms,
    message,
  };
  return { results: [result], runs, entry };
}

/**
 * A sample that names its time stands at that time: one that is not newer than what is known is history. One of a time
 * to come tells of a clock that is fast, and counts as of now.
 */
function readSamples(samples: readonly Sample[], memory: PushMemory, rules: MetricsRules, now: number): RoundResult[] {
  const inOrder = [...samples].sort((a, b) => (a.at ?? now) - (b.at ?? now));
  let last = memory.result?.slot_at;
  return inOrder.map((sample) => {
    const isDated = sample.at !== null && sample.at <= now;
    const checked_at = isDated ? (sample.at ?? now) : now;
    const slot_at = isDated ? checked_at : nextSlot(last, now);
    last = Math.max(last ?? slot_at, slot_at);
    return { region: DEFAULT_REGION, slot_at, attempt: 0, checked_at, ...judgeSample(sample, rules) };
  });
}

/** Several may arrive in one millisecond, and each counts. */
function nextSlot(last: number | undefined, now: number): number {
  return last === undefined ? now : Math.max(now, last + 1);
}

function judgeSample(sample: Sample, rules: MetricsRules): Pick<RoundResult, "outcome" | "latency_ms" | "message"> {
  const numbers = numbersOf(sample);
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
  return { outcome: "success", latency_ms, message: "metrics arrived" };
}

function isOver(latencyMs: number | null, thresholdMs: number | null): boolean {
  return latencyMs !== null && thresholdMs !== null && latencyMs > thresholdMs;
}
