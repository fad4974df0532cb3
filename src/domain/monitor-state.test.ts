import { describe, expect, it } from "vitest";
import { makeResult, RULES, readScript, replay, replayTransitions } from "../../test/support/monitor-script.ts";
import { decide, initialState, type MonitorInput } from "./monitor-state.ts";

const CAME_UP = "1 pending-up 61 since 60, silent, no outage";
const WENT_DOWN = "2 up-down 241 since 120, monitor.down, outage 2 since 120";
const FIRST_DOWN = "1 pending-down 181 since 60, monitor.down, outage 1 since 60";

describe("transitions of a monitor", () => {
  const rows: [name: string, script: string, ...expected: string[]][] = [
    ["a new monitor comes up with its first success, silently", "S", CAME_UP],
    ["a slow first success is a success", "L", CAME_UP],
    ["one failure fewer than the threshold leaves it pending", "F F"],
    ["the threshold takes a new monitor down, since the first failure", "F F F", FIRST_DOWN],
    ["one failure fewer than the threshold leaves it up", "S F F", CAME_UP],
    ["the threshold takes it down, since the first failure", "S F F F", CAME_UP, WENT_DOWN],
    ["further failures say nothing more", "S F F F F F F F", CAME_UP, WENT_DOWN],
    ["a success ends a run of failures", "S F F S F F", CAME_UP],
    [
      "a slow success ends a run of failures",
      "S F F L F F",
      CAME_UP,
      "2 up-degraded 241 since 240, monitor.degraded, no outage",
    ],
    ["an error of the checker counts for nothing", "E E E E"],
    [
      "an error of the checker neither ends nor lengthens a run of failures",
      "S F E F E E F",
      CAME_UP,
      "2 up-down 421 since 120, monitor.down, outage 2 since 120",
    ],
    ["one success fewer than the threshold leaves it down", "F F F S", FIRST_DOWN],
    [
      "the threshold brings it up, since the first success",
      "F F F F S S",
      FIRST_DOWN,
      "2 down-up 361 since 300, monitor.up, outage 1 since 60",
    ],
    ["a failure ends a run of successes", "F F F S F S F S", FIRST_DOWN],
    [
      "an error does not end a run of successes",
      "F F F S E S",
      FIRST_DOWN,
      "2 down-up 361 since 240, monitor.up, outage 1 since 60",
    ],
    [
      "a missed slot does not end a run of successes",
      "F F F S . S",
      FIRST_DOWN,
      "2 down-up 361 since 240, monitor.up, outage 1 since 60",
    ],
    [
      "slow successes recover to up, and only the next one degrades",
      "F F F L L L",
      FIRST_DOWN,
      "2 down-up 301 since 240, monitor.up, outage 1 since 60",
      "3 up-degraded 361 since 360, monitor.degraded, no outage",
    ],
    [
      "a degraded monitor is said to be so once",
      "S L L L",
      CAME_UP,
      "2 up-degraded 121 since 120, monitor.degraded, no outage",
    ],
    [
      "one fast success ends degraded",
      "S L S",
      CAME_UP,
      "2 up-degraded 121 since 120, monitor.degraded, no outage",
      "3 degraded-up 181 since 180, monitor.up, no outage",
    ],
    [
      "a degraded monitor goes down by the threshold",
      "S L F F F",
      CAME_UP,
      "2 up-degraded 121 since 120, monitor.degraded, no outage",
      "3 degraded-down 301 since 180, monitor.down, outage 3 since 180",
    ],
    [
      "repetitions count towards the threshold",
      "S F rF rF",
      CAME_UP,
      "2 up-down 161 since 120, monitor.down, outage 2 since 120",
    ],
    ["a repetition that succeeds ends the run", "S F rF rS F rF", CAME_UP],
    ["a missed slot ends a run of failures", "S F F . F F", CAME_UP],
    [
      "a run after missed slots begins there",
      "S F . . F F F",
      CAME_UP,
      "2 up-down 421 since 300, monitor.down, outage 2 since 300",
    ],
  ];
  it.each(rows)("%s", (_name, script, ...expected) => {
    expect(replayTransitions(readScript(script))).toEqual(expected);
  });
});

describe("pause and unknown", () => {
  const UNKNOWN = "2 up-unknown 241 since 240, silent, no outage";
  const rows: [name: string, script: string, ...expected: string[]][] = [
    ["a pause is silent", "S P", CAME_UP, "2 up-paused 70 since 70, silent, no outage"],
    [
      "results of a paused monitor change nothing, and resuming starts at pending",
      "S P F F F R",
      CAME_UP,
      "2 up-paused 70 since 70, silent, no outage",
      "3 paused-pending 250 since 250, silent, no outage",
    ],
    [
      "failures from before a pause are forgotten",
      "S F F P R F F",
      CAME_UP,
      "2 up-paused 190 since 190, silent, no outage",
      "3 paused-pending 200 since 200, silent, no outage",
    ],
    [
      "an outage outlives a pause: failing again says nothing and goes on with it",
      "F F F P R F F F",
      FIRST_DOWN,
      "2 down-paused 190 since 190, silent, outage 1 since 60",
      "3 paused-pending 200 since 200, silent, outage 1 since 60",
      "4 pending-down 361 since 240, silent, outage 1 since 60",
    ],
    [
      "an outage outlives a pause: the first success says that it is over",
      "F F F P R L",
      FIRST_DOWN,
      "2 down-paused 190 since 190, silent, outage 1 since 60",
      "3 paused-pending 200 since 200, silent, outage 1 since 60",
      "4 pending-up 241 since 240, monitor.up, outage 1 since 60",
    ],
    ["unknown begins where the last result ceased to be good, silently", "S U", CAME_UP, UNKNOWN],
    [
      "an unknown monitor comes up with one success, silently",
      "S U . . . L",
      CAME_UP,
      UNKNOWN,
      "3 unknown-up 301 since 300, silent, no outage",
    ],
    [
      "an unknown monitor goes down by the threshold",
      "S U . . . F F F",
      CAME_UP,
      UNKNOWN,
      "3 unknown-down 421 since 300, monitor.down, outage 3 since 300",
    ],
    [
      "an unknown stretch ends a run of failures",
      "S F F U . . F F",
      CAME_UP,
      "2 up-unknown 361 since 360, silent, no outage",
    ],
    [
      "an outage outlives an unknown stretch that ends in failures",
      "F F F U . . . F F F",
      FIRST_DOWN,
      "2 down-unknown 361 since 360, silent, outage 1 since 60",
      "3 unknown-down 541 since 420, silent, outage 1 since 60",
    ],
    [
      "an outage outlives an unknown stretch that ends in a success",
      "F F F U . . . S",
      FIRST_DOWN,
      "2 down-unknown 361 since 360, silent, outage 1 since 60",
      "3 unknown-up 421 since 420, monitor.up, outage 1 since 60",
    ],
    ["a monitor that never had a result becomes unknown", "U", "1 pending-unknown 181 since 180, silent, no outage"],
    ["what is unknown stays unknown once", "S U U", CAME_UP, UNKNOWN],
    ["a paused monitor does not become unknown", "S P U", CAME_UP, "2 up-paused 70 since 70, silent, no outage"],
    ["pausing twice pauses once", "S P P", CAME_UP, "2 up-paused 70 since 70, silent, no outage"],
    ["resuming what is not paused does nothing", "S R", CAME_UP],
  ];
  it.each(rows)("%s", (_name, script, ...expected) => {
    expect(replayTransitions(readScript(script))).toEqual(expected);
  });

  it("ends a run of failures when an unknown monitor falls silent again", () => {
    const rules = { ...RULES, failure_threshold: 2, schedule: null };
    expect(replayTransitions(readScript("U . . . F U . . . F"), rules)).toEqual([
      "1 pending-unknown 181 since 180, silent, no outage",
    ]);
  });
});

describe("thresholds", () => {
  it.each([1, 2, 19, 20])("%i failures and successes are needed where that is the threshold", (threshold) => {
    const rules = { ...RULES, failure_threshold: threshold, recovery_threshold: threshold };
    const moves = (script: string) => replay(readScript(script), rules).filter(({ transition }) => transition).length;
    const down = `S${" F".repeat(threshold)}`;
    expect(moves(`S${" F".repeat(threshold - 1)}`)).toBe(1);
    expect(moves(down)).toBe(2);
    expect(moves(down + " S".repeat(threshold - 1))).toBe(2);
    expect(moves(down + " S".repeat(threshold))).toBe(3);
  });
});

describe("the summary of a transition", () => {
  const once = { ...RULES, failure_threshold: 1 };

  it("carries the deciding check's message, latency and region", () => {
    const input = makeResult({ outcome: "failure", message: "connection refused", latency_ms: 12 });
    expect(decide(initialState(0), input, once, 61).transition).toEqual({
      seq: 1,
      from: "pending",
      to: "down",
      at: 61,
      effective_at: 60,
      message: "connection refused",
      latency_ms: 12,
      region: "default",
      checked_at: 60,
      outage: { seq: 1, started_at: 60 },
      failure: { message: "connection refused", regions: ["default"], evidence: null },
      event: "monitor.down",
    });
  });

  it("is not made by a check that hung while a later one was judged, even for a newer slot", () => {
    const once = { ...RULES, failure_threshold: 1, recovery_threshold: 1 };
    const down = decide(initialState(0), makeResult({ outcome: "failure", slot_at: 60, checked_at: 60 }), once, 61);
    const up = decide(down.state, makeResult({ slot_at: 120, checked_at: 190 }), once, 191);
    expect(up.transition?.to).toBe("up");
    const hung = makeResult({ outcome: "failure", message: "timed out", slot_at: 180, checked_at: 180 });
    expect(decide(up.state, hung, once, 200)).toMatchObject({ accepted: false, transition: null });
    const elsewhere = { ...once, regions: ["default", "weur"], region_policy: "any" as const };
    expect(decide(up.state, hung, elsewhere, 200).transition?.to).toBe("down");
  });

  it("keeps what the first failing check saw until the outage opens, and no longer", () => {
    const seen = { status_line: "HTTP 500", excerpt: "oops", addresses: [] };
    const first = makeResult({ outcome: "failure", message: "HTTP 500", evidence: seen, slot_at: 0, checked_at: 0 });
    const second = makeResult({ outcome: "failure", message: "timed out", slot_at: 60, checked_at: 60 });
    const twice = { ...RULES, failure_threshold: 2 };
    const waiting = decide(initialState(0), first, twice, 1);
    const { state, transition } = decide(waiting.state, second, twice, 61);
    expect(transition).toMatchObject({
      message: "timed out",
      failure: { message: "HTTP 500", regions: ["default"], evidence: seen },
    });
    expect(state.run).toBeNull();
  });

  it("carries the reason of an unknown status, with no region", () => {
    const input: MonitorInput = { kind: "stale", last_result_at: null, reason: "the agent is offline" };
    const { transition } = decide(initialState(0), input, RULES, 95);
    expect(transition).toMatchObject({
      to: "unknown",
      message: "the agent is offline",
      region: null,
      latency_ms: null,
    });
  });

  it("is never dated into the future or before the status that it ends", () => {
    const early = decide(initialState(0), { kind: "stale", last_result_at: 90, reason: "offline" }, RULES, 95);
    expect(early.transition?.effective_at).toBe(95);
    const late = decide(early.state, makeResult({ slot_at: 60, checked_at: 80 }), RULES, 99);
    expect(late.transition?.effective_at).toBe(95);
  });
});
