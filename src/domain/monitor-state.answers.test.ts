import { describe, expect, it } from "vitest";
import {
  makeResult,
  type Result,
  RULES,
  readScript,
  replayLast,
  replayTransitions,
  type Step,
} from "../../test/support/monitor-script.ts";
import { decide, initialState, type MonitorInput, type MonitorRules, type MonitorState } from "./monitor-state.ts";

describe("late and repeated results", () => {
  const up = decide(initialState(0), makeResult({ slot_at: 120 }), RULES, 121).state;
  const rows: [name: string, input: MonitorInput, now: number, accepted: boolean][] = [
    ["refuses a repeated result", makeResult({ slot_at: 120 }), 125, false],
    ["refuses a result of an earlier slot", makeResult({ slot_at: 119, outcome: "failure" }), 125, false],
    ["takes a later slot", makeResult({ slot_at: 121 }), 125, true],
    ["takes a repetition of the slot", makeResult({ slot_at: 120, attempt: 1 }), 125, true],
    ["takes a result as old as results are good", makeResult({ slot_at: 180 }), 360, true],
    ["refuses an older one", makeResult({ slot_at: 180 }), 361, false],
    ["refuses unknown where a newer result is known", { kind: "stale", last_result_at: 119, reason: "" }, 300, false],
    ["takes unknown where none is", { kind: "stale", last_result_at: 120, reason: "" }, 300, true],
    [
      "takes unknown from a time of its own",
      { kind: "stale", last_result_at: 120, valid_until: 130, reason: "" },
      300,
      true,
    ],
  ];
  it.each(rows)("%s", (_name, input, now, accepted) => {
    const decision = decide(up, input, RULES, now);
    expect(decision.accepted).toBe(accepted);
    if (!accepted) expect(decision.state).toBe(up);
  });

  it.each([
    [89, 2],
    [90, 2],
    [91, 1],
  ])("a reporter off the grid misses a slot after more than one and a half intervals: %i s", (pause, count) => {
    const steps = [60, 60 + pause].map((slot_at) => ({
      input: makeResult({ slot_at, outcome: "failure" }),
      now: slot_at,
    }));
    expect(replayLast(steps).state.run?.count).toBe(count);
  });

  it("refuses a check that began before the monitor was resumed", () => {
    const paused = decide(up, { kind: "pause" }, RULES, 130).state;
    const resumed = decide(paused, { kind: "resume" }, RULES, 140).state;
    expect(decide(resumed, makeResult({ slot_at: 139 }), RULES, 141).accepted).toBe(false);
    expect(decide(resumed, makeResult({ slot_at: 120, checked_at: 140 }), RULES, 141).transition?.to).toBe("up");
  });
});

describe("repeating a failing check", () => {
  it.each<[name: string, script: string, retry_at: number | null]>([
    ["a success asks for nothing", "S", null],
    ["a slow success asks for nothing", "S L", null],
    ["an error asks for nothing", "S E", null],
    ["the first failure asks for a repetition", "S F", 141],
    ["a failing repetition asks for the next", "S F rF", 161],
    ["the failure that decides asks for none", "S F rF rF", null],
    ["a monitor that is down repeats nothing", "F F F F", null],
    ["a recovery repeats nothing", "F F F S", null],
  ])("%s", (_name, script, retryAt) => {
    expect(replayLast(readScript(script)).retry_at).toBe(retryAt);
  });

  it("gives a repeated result the answer of the first", () => {
    const input = makeResult({ outcome: "failure" });
    const first = decide(initialState(0), input, RULES, 61);
    expect(decide(first.state, input, RULES, 99)).toEqual({ ...first, accepted: false });
  });

  it("asks for nothing at a repeated result that its repetition has overtaken", () => {
    const input = makeResult({ outcome: "failure" });
    const steps = [input, { ...input, attempt: 1, checked_at: 80 }, input].map((step) => ({ input: step, now: 81 }));
    expect(replayLast(steps)).toMatchObject({ accepted: false, retry_at: null });
  });

  it("never asks where nobody checks on a schedule", () => {
    const decision = decide(initialState(0), makeResult({ outcome: "failure" }), { ...RULES, schedule: null }, 61);
    expect(decision.retry_at).toBeNull();
  });
});

describe("being settled", () => {
  it.each<[name: string, script: string, settled: boolean]>([
    ["up and at rest is settled", "S", true],
    ["an error leaves it settled", "S E", true],
    ["pending is not", "E", false],
    ["a failure unsettles", "S F", false],
    ["a success settles again", "S F S", true],
    ["degraded is not", "S L", false],
    ["back to up is", "S L S", true],
    ["down is not", "F F F", false],
    ["a recovery under way is not", "F F F S", false],
    ["a recovered monitor is", "F F F S S", true],
    ["unknown is not", "S U", false],
    ["paused is not", "S P", false],
  ])("%s", (_name, script, settled) => {
    expect(replayLast(readScript(script)).settled).toBe(settled);
  });
});

describe("several regions", () => {
  const rules: MonitorRules = { ...RULES, failure_threshold: 2, regions: ["weur", "enam", "apac"] };
  const answer = (
    state: MonitorState,
    slot_at: number,
    ...answers: [string, Result["outcome"], attempt?: number][]
  ) => {
    const steps = answers.map(([region, outcome, attempt = 0]) => {
      const checked_at = slot_at + attempt * 20;
      return { input: makeResult({ region, outcome, slot_at, attempt, checked_at }), now: checked_at + 1 };
    });
    return replayLast(steps, rules, state);
  };
  const up = answer(initialState(0), 60, ["weur", "success"], ["enam", "success"]).state;

  it("counts a round once, however many of its regions fail", () => {
    const { state } = answer(up, 120, ["weur", "failure"], ["enam", "failure"], ["apac", "failure"]);
    expect(state).toMatchObject({ status: "up", run: { count: 1, since: 120 } });
  });

  it("asks for one repetition a round, at its first failing region", () => {
    const first = answer(up, 120, ["weur", "failure"]);
    expect(first).toMatchObject({ retry_at: 141, settled: false, state: { run: null } });
    expect(answer(up, 120, ["weur", "failure"], ["enam", "failure"]).retry_at).toBeNull();
  });

  it("does not repeat a repetition that one region alone fails", () => {
    expect(answer(up, 120, ["weur", "failure"], ["weur", "failure", 1]).retry_at).toBeNull();
    const failed = answer(up, 120, ["weur", "failure"], ["weur", "failure", 1], ["enam", "failure", 1]);
    expect(failed).toMatchObject({ retry_at: 161, state: { run: { count: 1, since: 140 } } });
  });

  it("goes down when the majority of a second round fails, since the first round", () => {
    const first = answer(up, 120, ["weur", "failure"], ["enam", "failure"]);
    const second = answer(first.state, 120, ["apac", "failure", 1], ["weur", "failure", 1]);
    expect(second.transition).toMatchObject({ to: "down", region: "weur", effective_at: 120 });
  });

  it("is not settled while a region fails that the others outvote, so that its recovery is heard of", () => {
    expect(answer(up, 120, ["weur", "failure"], ["enam", "success"]).settled).toBe(false);
    expect(answer(up, 120, ["weur", "failure"], ["enam", "success"], ["apac", "success"]).settled).toBe(false);
    expect(answer(up, 120, ["weur", "slow"]).settled).toBe(false);
    expect(answer(up, 120, ["weur", "error"]).settled).toBe(true);
  });

  it("lets a region that could not check complete the verdict, in the words of those that could", () => {
    const once = { ...rules, failure_threshold: 1 };
    const suspect = answer(up, 120, ["weur", "failure"], ["enam", "error"]);
    const abstained = makeResult({ region: "apac", outcome: "error", slot_at: 120, message: "our own fault" });
    const { transition } = decide(suspect.state, abstained, once, 121);
    expect(transition).toMatchObject({ to: "down", region: "weur", message: "said so" });
  });
});

describe("silence of a monitor that reports by itself", () => {
  const rules: MonitorRules = { ...RULES, failure_threshold: 1, recovery_threshold: 1, schedule: null };
  const heartbeat = (slot_at: number): Step => ({ input: makeResult({ slot_at }), now: slot_at });
  const missed = (due_at: number, level: "failure" | "degraded" = "failure", now = due_at + 5): Step => ({
    input: { kind: "missed_deadline", due_at, level, message: "no heartbeat" },
    now,
  });
  const shown = (steps: Step[], change: Partial<MonitorRules> = {}) =>
    replayTransitions(steps, { ...rules, ...change });
  const UP = "1 pending-up 60 since 60, silent, no outage";

  it("dates the outage to when the beat was due, and the recovery to the beat", () => {
    expect(shown([heartbeat(60), missed(120), heartbeat(190)])).toEqual([
      UP,
      "2 up-down 125 since 120, monitor.down, outage 2 since 120",
      "3 down-up 190 since 190, monitor.up, outage 2 since 120",
    ]);
  });

  it("counts each missed time once, however far apart they are", () => {
    const steps = [heartbeat(60), missed(120), missed(120), missed(900)];
    expect(shown(steps, { failure_threshold: 3 })).toEqual([UP]);
    expect(shown(steps, { failure_threshold: 2 })).toEqual([
      UP,
      "2 up-down 905 since 120, monitor.down, outage 2 since 120",
    ]);
  });

  it("is refuted by a beat since it was due", () => {
    expect(shown([heartbeat(60), heartbeat(121), missed(121), missed(120)])).toEqual([UP]);
  });

  it("counts for nothing if due before the monitor was resumed", () => {
    const steps: Step[] = [
      heartbeat(60),
      { input: { kind: "pause" }, now: 70 },
      { input: { kind: "resume" }, now: 130 },
      missed(120),
    ];
    expect(shown(steps)).toHaveLength(3);
  });

  it("degrades an up monitor and no other, without being a success", () => {
    expect(shown([missed(60, "degraded")])).toEqual([]);
    expect(shown([missed(60), missed(120, "degraded")])).toHaveLength(1);
    expect(shown([heartbeat(60), missed(150, "degraded"), missed(120, "failure", 180), heartbeat(300)])).toEqual([
      UP,
      "2 up-degraded 155 since 150, monitor.degraded, no outage",
      "3 degraded-down 180 since 150, monitor.down, outage 3 since 150",
      "4 down-up 300 since 300, monitor.up, outage 3 since 150",
    ]);
  });
});

describe("the round that opens an outage", () => {
  const rules: MonitorRules = { ...RULES, regions: ["weur", "enam", "apac"], failure_threshold: 1 };
  const play = (...results: Partial<Result>[]) => {
    let state: MonitorState = initialState(0);
    return results.map((result, n) => {
      const decision = decide(state, makeResult({ slot_at: 60, checked_at: 60 + n, ...result }), rules, 70 + n);
      state = decision.state;
      return { opens: decision.transition?.failure?.regions, completes: decision.completed };
    });
  };
  const failure = "failure" as const;

  it("is completed once with every region that failed in it, when the last has reported after the verdict", () => {
    const round = [
      { region: "enam", outcome: failure },
      { region: "weur", outcome: failure },
      { region: "apac", outcome: failure },
    ];
    const next = round.map((result) => ({ ...result, slot_at: 120, checked_at: 120 }));
    expect(play(...round, ...round.slice(2), ...next).filter((each) => each.opens ?? each.completes)).toEqual([
      { opens: ["enam", "weur"], completes: undefined },
      { opens: undefined, completes: { seq: 1, regions: ["enam", "weur", "apac"] } },
    ]);
  });

  it("is completed without a region that succeeded or could not check", () => {
    for (const outcome of ["success", "error"] as const) {
      const [, , last] = play(
        { region: "weur", outcome: failure },
        { region: "apac", outcome: failure },
        { region: "enam", outcome },
      );
      expect(last?.completes).toEqual({ seq: 1, regions: ["weur", "apac"] });
    }
  });

  it("needs no completion when the last region decides", () => {
    const [, , last] = play(
      { region: "weur", outcome: failure },
      { region: "enam", outcome: "success" },
      { region: "apac", outcome: failure },
    );
    expect(last).toEqual({ opens: ["weur", "apac"], completes: undefined });
  });
});
