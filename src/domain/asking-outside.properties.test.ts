import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RULES } from "../../test/support/monitor-script.ts";
import type { CheckOutcome } from "../contract/check.ts";
import { decide, findAnswerDeadline, initialState, type MonitorInput, type MonitorState } from "./monitor-state.ts";

const SECOND = 1000;
const INTERVAL = 60 * SECOND;
const WAIT = 5 * SECOND;

/** What the edge finds in each slot and how late that arrives, and what becomes of each question. */
interface Story {
  failure_threshold: number;
  checks: { outcome: "success" | "failure"; delay: number }[];
  answers: { outcome: CheckOutcome; delay: number | null }[];
}

const anyStory: fc.Arbitrary<Story> = fc.record({
  failure_threshold: fc.integer({ min: 1, max: 3 }),
  checks: fc.array(
    fc.record({
      outcome: fc.constantFrom("success", "failure", "failure"),
      // The check of a slot may be late until the one of the next slot has come.
      delay: fc.constantFrom(1, 2, 3, 57, 59).map((seconds) => seconds * SECOND),
    }),
    { minLength: 1, maxLength: 12 },
  ),
  // Repeated and lost, before and after it is waited for.
  answers: fc.array(
    fc.record({
      outcome: fc.constantFrom<CheckOutcome>("success", "slow", "failure", "error"),
      delay: fc.option(
        fc.oneof(fc.integer({ min: 1, max: WAIT - 1 }), fc.integer({ min: WAIT + 1, max: 3 * INTERVAL })),
      ),
    }),
    { minLength: 12, maxLength: 12 },
  ),
});

const rulesOf = ({ failure_threshold }: Story) => ({
  ...RULES,
  failure_threshold,
  recovery_threshold: 1,
  schedule: { interval_ms: INTERVAL, retry_interval_ms: INTERVAL / 3 },
  stale_after_ms: 10 * INTERVAL,
  asks_outside: true,
});

/** The object with its alarm and the agent that it asks, in miniature. */
function replay(story: Story): string[] {
  const rules = rulesOf(story);
  let state: MonitorState = initialState(0);
  const moves: string[] = [];
  let asked = 0;
  const waiting = story.checks.map(({ outcome, delay }, n): { at: number; input: MonitorInput } => {
    const slot_at = (n + 1) * INTERVAL;
    const found = { region: "default", slot_at, attempt: 0, checked_at: slot_at, latency_ms: 1, message: "" };
    return { at: slot_at + delay + n, input: { kind: "result", ...found, outcome } };
  });
  const take = (input: MonitorInput, at: number) => {
    const { state: after, transition, asks } = decide(state, input, rules, at);
    state = after;
    if (transition) moves.push(`${transition.from}-${transition.to} ${at} since ${transition.effective_at}`);
    if (!asks) return;
    const { outcome, delay } = story.answers[asked++] ?? { outcome: "error", delay: null };
    const answer: MonitorInput = { kind: "answer", asked_at: at, outcome };
    if (delay !== null) waiting.push({ at: at + delay, input: answer }, { at: at + delay, input: answer });
  };
  for (;;) {
    waiting.sort((a, b) => a.at - b.at);
    const deadline = findAnswerDeadline(state, rules) ?? Infinity;
    const next = waiting[0];
    if (!next && deadline === Infinity) return moves;
    if (!next || deadline < next.at) {
      take({ kind: "answer", asked_at: state.asked?.at ?? 0, outcome: "error" }, deadline);
    } else {
      waiting.shift();
      take(next.input, next.at);
    }
  }
}

/** The same in words: who is asked is heard for five seconds, unless a good check comes first. */
function judge({ failure_threshold, checks, answers }: Story): string[] {
  const moves: string[] = [];
  let [status, bad, since, question, began] = ["pending", 0, 0, 0, 0];
  const move = (to: string, at: number, from: number) => {
    began = Math.max(began, from);
    moves.push(`${status}-${to} ${at} since ${began}`);
    [status, bad] = [to, 0];
  };
  const arrivals = checks.map(({ outcome, delay }, n) => ({
    outcome,
    slot_at: (n + 1) * INTERVAL,
    at: (n + 1) * INTERVAL + delay + n,
  }));
  // A check that is overtaken says nothing of the present.
  const heard = arrivals.filter(({ slot_at, at }) => !arrivals.some((each) => each.slot_at > slot_at && each.at < at));
  let open: { at: number; reaches: boolean } | null = null;
  const settle = (until: number) => {
    if (open === null || open.at >= until) return;
    const { at, reaches } = open;
    open = null;
    if (!reaches) move("down", at, since);
    else if (status === "degraded") bad = 0;
    else move("degraded", at, since);
  };
  for (const { outcome, slot_at, at } of heard) {
    settle(at);
    if (outcome === "success") {
      open = null;
      bad = 0;
      if (status !== "up") move("up", at, slot_at);
      continue;
    }
    if (status === "down") continue;
    since = bad === 0 ? slot_at : since;
    bad += 1;
    if (bad < failure_threshold || open !== null) continue;
    const answer = answers[question++];
    const isHeard = answer?.delay != null && answer.delay <= WAIT;
    const reaches = isHeard && (answer.outcome === "success" || answer.outcome === "slow");
    open = { at: at + (isHeard ? (answer.delay ?? 0) : WAIT), reaches };
  }
  settle(Infinity);
  return moves;
}

describe("an outage that an agent of another network is asked about", () => {
  it("begins unless that reaches the target within five seconds, with any delay, loss and repetition of its answers", () => {
    fc.assert(
      fc.property(anyStory, (story) => {
        expect(replay(story)).toEqual(judge(story));
      }),
      { numRuns: 10_000, seed: 44 },
    );
  });
});
