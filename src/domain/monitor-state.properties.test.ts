import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeResult, type Result, RULES, replay, type Step } from "../../test/support/monitor-script.ts";
import { decide, initialState, type MonitorRules, type Transition } from "./monitor-state.ts";

/** `isNews` is false for what must have no effect: repeated, overtaken and outdated results. */
interface Told extends Step {
  isNews: boolean;
}

const OUTCOMES = ["success", "slow", "failure", "error"] as const;
const OTHERS = ["again", "gap", "pause", "stale", "repeat", "overtaken", "outdated"] as const;
type Word = (typeof OUTCOMES)[number] | (typeof OTHERS)[number];

/** Stretches of one word, so that thresholds up to 20 are reached, and missed by one. */
const anyStory = fc
  .array(
    fc.oneof(
      fc.tuple(fc.constantFrom<Word[]>("failure", "success", "slow", "again"), fc.integer({ min: 1, max: 4 })),
      fc.tuple(fc.constantFrom<Word[]>("failure", "success"), fc.integer({ min: 1, max: 20 })),
      fc.tuple(fc.constantFrom<Word[]>("error", ...OTHERS), fc.constant(1)),
    ),
    { maxLength: 24 },
  )
  .map((stretches) => tell(stretches.flatMap(([word, length]) => Array<Word>(length).fill(word)).slice(0, 60)));

const anyThreshold = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 20 }));
const anyRules = fc
  .record({ failure_threshold: anyThreshold, recovery_threshold: anyThreshold })
  .map((thresholds): MonitorRules => ({ ...RULES, ...thresholds }));

function tell(words: readonly Word[]): Told[] {
  const told: Told[] = [];
  const results: Result[] = [];
  let [now, known, isPaused] = [0, null as number | null, false];
  const say = (input: Step["input"], isNews = true) => told.push({ input, now, isNews });
  const check = (change: Partial<Result>, delay = 1) => {
    const result = makeResult(change);
    results.push(result);
    if (result.outcome !== "error" && delay <= RULES.stale_after_ms) known = result.checked_at;
    now = result.checked_at + delay;
    say(result, delay <= RULES.stale_after_ms);
  };
  for (const [index, word] of words.entries()) {
    const nextSlot = (Math.floor(now / 60) + 1) * 60;
    const { slot_at, attempt } = results.at(-1) ?? { slot_at: nextSlot, attempt: 0 };
    const mixed = index % 3 === 0 ? "success" : "failure";
    switch (word) {
      case "again":
        check({ slot_at, attempt: attempt + 1, checked_at: Math.max(slot_at, now + 20), outcome: mixed });
        break;
      case "gap":
        now = nextSlot;
        break;
      case "pause":
        now += 5;
        say({ kind: isPaused ? "resume" : "pause" });
        isPaused = !isPaused;
        break;
      case "stale":
        now = Math.max(now, (known ?? 0) + 181);
        say({ kind: "stale", last_result_at: known, reason: "no result" });
        break;
      case "repeat":
        if (results.length > 0) say(results[(index * 7) % results.length] ?? makeResult({}), false);
        break;
      case "overtaken":
        if (results.length > 0) say(makeResult({ slot_at: slot_at - 30, outcome: mixed }), false);
        break;
      case "outdated":
        check({ slot_at: nextSlot, outcome: mixed }, 181);
        break;
      default:
        check({ slot_at: nextSlot, outcome: word });
    }
  }
  return told;
}

/**
 * The same rules as a story: one letter for each fact, and a status is what the end of the story spells. S fast success,
 * L slow success, F failure; a dot stands for missed slots and a bar for a pause or an unknown stretch.
 */
function spell(told: readonly Told[], rules: MonitorRules): string[] {
  const moves: string[] = [];
  let [story, times, slots] = ["", [] as number[], [] as number[]];
  let [status, since, outage, began] = ["pending", 0, "none", 0];
  const note = (letter: string, at: number) => {
    story += letter;
    times.push(at);
  };
  const go = (to: string, from: number, now: number) => {
    const hadOutage = outage !== "none";
    since = Math.max(since, Math.min(from, now));
    if (to === "down" && !hadOutage) outage = `${moves.length + 1}@${since}`;
    const isTold =
      to === "degraded" || (to === "down" && !hadOutage) || (to === "up" && (hadOutage || status === "degraded"));
    moves.push(`${moves.length + 1} ${status}-${to} ${now} ${since} ${isTold ? `monitor.${to}` : "null"} ${outage}`);
    status = to;
    if (to === "up") outage = "none";
  };
  for (const { input, now } of told.filter(({ isNews }) => isNews)) {
    if (input.kind === "resume") {
      slots = [];
      began = now;
      go("pending", now, now);
    }
    if (status === "paused" || input.kind === "missed_deadline" || input.kind === "resume") continue;
    if (input.kind === "pause") go("paused", now, now);
    if (input.kind === "stale" && status !== "unknown") go("unknown", (input.last_result_at ?? began) + 180, now);
    if (input.kind !== "result") {
      note("|", now);
      continue;
    }
    if (status !== "down" && input.slot_at - (slots.at(-1) ?? input.slot_at) > 60) note(".", now);
    slots.push(input.slot_at);
    if (input.outcome === "error") continue;
    note({ success: "S", slow: "L", failure: "F" }[input.outcome], input.checked_at);
    const ends = (pattern: string) => new RegExp(`(?:${pattern})$`).exec(story)?.index;
    const endings: [from: string, to: string, start: number | undefined][] = [
      ["down", "up", ends(`[SL]{${rules.recovery_threshold}}`)],
      ["pending unknown up degraded", "down", ends(`F{${rules.failure_threshold}}`)],
      ["pending unknown", "up", ends("[SL]")],
      ["up", "degraded", ends("L")],
      ["degraded", "up", ends("S")],
    ];
    const ending = endings.find(([from, , start]) => from.includes(status) && start !== undefined);
    if (ending !== undefined) go(ending[1], times[ending[2] ?? 0] ?? 0, now);
  }
  return moves;
}

function brief({ seq, from, to, at, effective_at, event, outage }: Transition): string {
  const about = outage === null ? "none" : `${outage.seq}@${outage.started_at}`;
  return `${seq} ${from}-${to} ${at} ${effective_at} ${event} ${about}`;
}

function listTransitions(steps: readonly Step[], rules: MonitorRules): Transition[] {
  return replay(steps, rules).flatMap(({ transition }) => transition ?? []);
}

/** What is left when a settled monitor's fast successes are not brought to it. */
function skipSettled(steps: readonly Step[], rules: MonitorRules): Step[] {
  let [state, isSettled] = [initialState(0), false];
  return steps.filter(({ input, now }) => {
    if (isSettled && input.kind === "result" && input.outcome === "success") return false;
    ({ state, settled: isSettled } = decide(state, input, rules, now));
    return true;
  });
}

describe("any story of a monitor", () => {
  it("leads to the statuses that the end of the story spells", () => {
    fc.assert(
      fc.property(anyStory, anyRules, (told, rules) => {
        expect(listTransitions(told, rules).map(brief)).toEqual(spell(told, rules));
      }),
      { numRuns: 20_000 },
    );
  });

  it("is one path of statuses, with one outage at a time that is announced once and closed once", () => {
    fc.assert(
      fc.property(anyStory, anyRules, (told, rules) => {
        let [status, seq, since, open] = ["pending", 0, 0, null as number | null];
        for (const { from, to, outage, event, ...transition } of listTransitions(told, rules)) {
          expect([from, transition.seq]).toEqual([status, seq + 1]);
          expect(transition.effective_at).toBeGreaterThanOrEqual(since);
          expect(transition.effective_at).toBeLessThanOrEqual(transition.at);
          expect(event === "monitor.down").toBe(open === null && outage !== null);
          if (open !== null)
            expect([outage?.seq, to === "up" ? event : ""]).toEqual([open, to === "up" ? "monitor.up" : ""]);
          open = to === "up" ? null : (outage?.seq ?? null);
          [status, seq, since] = [to, transition.seq, transition.effective_at];
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("stays the same when everything is said twice, and gets the same answer", () => {
    fc.assert(
      fc.property(anyStory, anyRules, (told, rules) => {
        let state = initialState(0);
        for (const { input, now, isNews } of told) {
          const first = decide(state, input, rules, now);
          const second = decide(first.state, input, rules, now);
          expect(second).toEqual({ ...first, transition: null, accepted: false });
          if (!isNews) expect(first.state).toBe(state);
          state = first.state;
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("is the same without the fast successes of a settled monitor", () => {
    fc.assert(
      fc.property(anyStory, anyRules, (told, rules) => {
        const inOrder = told.filter(({ isNews }) => isNews);
        expect(listTransitions(skipSettled(inOrder, rules), rules)).toEqual(listTransitions(inOrder, rules));
      }),
      { numRuns: 5_000 },
    );
  });

  it("goes through every move that the rules know", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(anyStory, anyRules, (told, rules) => {
        for (const { from, to, event } of listTransitions(told, rules)) seen.add(`${from}-${to} ${event}`);
      }),
      { numRuns: 3_000, seed: 1 },
    );
    expect([...seen].sort()).toMatchInlineSnapshot(`
      [
        "degraded-down monitor.down",
        "degraded-paused null",
        "degraded-unknown null",
        "degraded-up monitor.up",
        "down-paused null",
        "down-unknown null",
        "down-up monitor.up",
        "paused-pending null",
        "pending-down monitor.down",
        "pending-down null",
        "pending-paused null",
        "pending-unknown null",
        "pending-up monitor.up",
        "pending-up null",
        "unknown-down monitor.down",
        "unknown-down null",
        "unknown-paused null",
        "unknown-up monitor.up",
        "unknown-up null",
        "up-degraded monitor.degraded",
        "up-down monitor.down",
        "up-paused null",
        "up-unknown null",
      ]
    `);
  });
});
