import {
  type Decision,
  decide,
  initialState,
  type MonitorInput,
  type MonitorRules,
  type Transition,
} from "../../src/domain/monitor-state.ts";

/** Short notation for the histories of monitors in unit tests. One unit of time stands for a second. */

export const RULES: MonitorRules = {
  failure_threshold: 3,
  recovery_threshold: 2,
  schedule: { interval_ms: 60, retry_interval_ms: 20 },
  stale_after_ms: 180,
  regions: [],
  region_policy: "majority",
};

export interface Step {
  input: MonitorInput;
  now: number;
}

export type Result = Extract<MonitorInput, { kind: "result" }>;

export const OUTCOME = { S: "success", L: "slow", F: "failure", E: "error" } as const;

export function makeResult(change: Partial<Result>): Result {
  return {
    kind: "result",
    region: "default",
    slot_at: 60,
    attempt: 0,
    checked_at: change.slot_at ?? 60,
    outcome: "success",
    latency_ms: 5,
    message: "said so",
    ...change,
  };
}

/**
 * S L F E: the next slot's check succeeds, is slow, fails, could not be made; answered one second later.
 * r before it: a repetition, 20 s later. A dot: a slot that no message reported. P, R: pause, resume, 10 s later.
 * U: 180 s after the last result that said anything it counts as unknown.
 */
export function readScript(script: string): Step[] {
  let [slot_at, checked_at, attempt, known] = [0, 0, 0, 0];
  return script.split(" ").flatMap((word): Step[] => {
    if (word === "P" || word === "R") {
      checked_at += 10;
      return [{ input: { kind: word === "P" ? "pause" : "resume" }, now: checked_at }];
    }
    if (word === "U") {
      const input: MonitorInput = { kind: "stale", last_result_at: known, reason: "no result" };
      return [{ input, now: Math.max(checked_at, known + 181) }];
    }
    const isRepeated = word.startsWith("r");
    attempt = isRepeated ? attempt + 1 : 0;
    slot_at = isRepeated ? slot_at : slot_at + 60;
    checked_at = isRepeated ? checked_at + 20 : slot_at;
    if (word === ".") return [];
    const outcome = OUTCOME[word.replace("r", "") as keyof typeof OUTCOME];
    known = outcome === "error" ? known : checked_at;
    return [{ input: makeResult({ slot_at, attempt, checked_at, outcome }), now: checked_at + 1 }];
  });
}

export function replay(steps: readonly Step[], rules: MonitorRules = RULES, start = initialState(0)): Decision[] {
  let state = start;
  return steps.map(({ input, now }) => {
    const decision = decide(state, input, rules, now);
    state = decision.state;
    return decision;
  });
}

export function replayLast(steps: readonly Step[], rules: MonitorRules = RULES, start = initialState(0)): Decision {
  const last = replay(steps, rules, start).at(-1);
  if (last === undefined) throw new Error("no step to replay");
  return last;
}

/** Each transition as "2 up-down 300 since 180, monitor.down, outage 2 since 180". */
export function replayTransitions(steps: readonly Step[], rules: MonitorRules = RULES): string[] {
  return replay(steps, rules).flatMap(({ transition }) => (transition === null ? [] : [show(transition)]));
}

function show({ seq, from, to, at, effective_at, event, outage }: Transition): string {
  const about = outage === null ? "no outage" : `outage ${outage.seq} since ${outage.started_at}`;
  return `${seq} ${from}-${to} ${at} since ${effective_at}, ${event ?? "silent"}, ${about}`;
}
