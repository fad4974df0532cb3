import { describe, expect, it } from "vitest";
import { makeResult, RULES } from "../../test/support/monitor-script.ts";
import type { CheckOutcome } from "../contract/check.ts";
import { decide, findAnswerDeadline, initialState, type MonitorRules, type MonitorState } from "./monitor-state.ts";
import { computeVerdict } from "./rounds.ts";

const MINUTE = 60_000;
const rules: MonitorRules = {
  ...RULES,
  failure_threshold: 2,
  asks_outside: true,
  schedule: { interval_ms: MINUTE, retry_interval_ms: 20_000 },
  stale_after_ms: 3 * MINUTE,
};

/** After a success and so many failing rounds, one a minute; the last decision. */
function afterFailures(count: number, known: MonitorRules = rules) {
  let decision = decide(initialState(0), result(1, "success"), known, MINUTE);
  for (let n = 2; n < count + 2; n++) decision = decide(decision.state, result(n, "failure"), known, n * MINUTE);
  return decision;
}

function result(n: number, outcome: CheckOutcome) {
  const at = n * MINUTE;
  return makeResult({ outcome, message: outcome, slot_at: at, checked_at: at });
}

const answer = (state: MonitorState, outcome: CheckOutcome, asked_at = state.asked?.at ?? 0) =>
  decide(state, { kind: "answer", asked_at, outcome }, rules, 3 * MINUTE + 2000);

describe("an outage that edge and agents have found together", () => {
  const verdict = (inside: string[], outcomes: Record<string, CheckOutcome>) => {
    const agents = { locations: ["agent:a", "agent:b"], inside, wait_ms: 0 };
    const results = Object.fromEntries(Object.entries(outcomes).map(([place, outcome]) => [place, { outcome }]));
    return computeVerdict(results, { regions: ["default"], region_policy: "any", confirms_outside: true, agents });
  };

  it("is not confirmed by an agent in the edge's own network, but by any other, and where that cannot check", () => {
    const found = { default: "failure", "agent:a": "failure" } as const;
    expect(verdict(["agent:a"], { ...found, "agent:b": "success" })).toBe("disputed");
    expect(verdict([], { ...found, "agent:b": "success" })).toBe("failure");
    expect(verdict(["agent:a"], { ...found, "agent:b": "error" })).toBe("failure");
    expect(verdict(["agent:a"], found)).toBeNull();
  });
});

describe("an outage that the edge alone has found", () => {
  it("waits for an agent of another network once the threshold is reached, and not before", () => {
    expect(afterFailures(1).asks).toBeUndefined();
    const { asks, transition, settled, retry_at, state } = afterFailures(2);
    expect({ asks, transition, settled, retry_at }).toEqual({
      asks: true,
      transition: null,
      settled: false,
      retry_at: null,
    });
    expect(findAnswerDeadline(state, rules)).toBe(3 * MINUTE + 5000);
  });

  it.each(["failure", "error"] as const)("begins, dated back, where the answer is %s", (outcome) => {
    const { state, transition } = answer(afterFailures(2).state, outcome);
    expect(transition).toMatchObject({ to: "down", event: "monitor.down", effective_at: 2 * MINUTE });
    expect(transition?.failure).toMatchObject({ message: "failure", regions: ["default"] });
    expect(state).toMatchObject({ asked: null, run: null });
    expect(findAnswerDeadline(state, rules)).toBeNull();
  });

  it.each(["success", "slow"] as const)("is degraded, in words, where the answer is %s", (outcome) => {
    const { state, transition } = answer(afterFailures(2).state, outcome);
    expect(transition).toMatchObject({ to: "degraded", event: "monitor.degraded", outage: null });
    expect(transition?.message).toBe("unreachable from Cloudflare only: failure");
    const next = decide(state, result(4, "failure"), rules, 4 * MINUTE);
    expect(next).toMatchObject({ transition: null, state: { status: "degraded" } });
    expect(decide(next.state, result(5, "success"), rules, 5 * MINUTE).transition).toMatchObject({ to: "up" });
  });

  it("is asked about once, however many rounds fail meanwhile", () => {
    const { asks, state } = afterFailures(4);
    expect(asks).toBeUndefined();
    expect(state.asked?.at).toBe(3 * MINUTE);
  });

  it("is forgotten with a success, and takes no answer then, nor to another question", () => {
    const { state } = afterFailures(2);
    const recovered = decide(state, result(4, "success"), rules, 4 * MINUTE).state;
    expect(answer(recovered, "failure", 3 * MINUTE)).toMatchObject({ accepted: false, state: { status: "up" } });
    expect(answer(state, "failure", 1).accepted).toBe(false);
    expect(decide(state, { kind: "pause" }, rules, 4 * MINUTE).state.asked).toBeNull();
  });

  it("begins at once where the monitor asks nobody", () => {
    expect(afterFailures(2, { ...rules, asks_outside: false }).transition).toMatchObject({ to: "down" });
  });
});
