import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EscalationContact, EscalationPolicyCreate } from "../contract/on-call.ts";
import {
  completeSteps,
  decide,
  type EscalationDecision,
  type EscalationEffect,
  type EscalationInput,
  type EscalationPolicyRules,
  type EscalationState,
  type ResolvedSteps,
  SNOOZE_MAX_MS,
} from "./escalation.ts";

const MINUTE = 60_000;
const ID = "11111111-1111-4111-8111-111111111111";

const policy = (waits: readonly number[], repeat_count = 0): EscalationPolicyRules => ({
  steps: waits.map((wait_minutes, n) => ({ level: n + 1, wait_minutes, contacts: [] })),
  repeat_count,
});
const people = (...steps: string[][]): ResolvedSteps =>
  steps.map((keys) => keys.map((key, contact_index) => ({ key, contact_index })));

function brief(effect: EscalationEffect): string {
  if (effect.kind === "notify") return `${effect.recipient.key}#${effect.round}.${effect.step}`;
  if (effect.kind === "gap") return `gap#${effect.round}.${effect.step}`;
  if (effect.kind === "notify_owner") return `owner ${effect.reason}`;
  return effect.kind === "status_changed" ? effect.status : "cancel";
}

type Timed = [minute: number, input: EscalationInput];
const tick = { kind: "tick" } as const;
const failed = (notification_id: string) => ({ kind: "notification_failed", notification_id }) as const;

/** What happens when, after a start at minute 0, with ticks at every due time up to the last input. */
function play(of: EscalationPolicyRules, resolved: ResolvedSteps, inputs: readonly Timed[]): string[] {
  const out: string[] = [];
  let state: EscalationState | null = null;
  const step = (input: EscalationInput, now: number) => {
    const decision: EscalationDecision | null = decide(state, input, { policy: of, resolved }, now);
    state = decision?.state ?? null;
    for (const effect of decision?.effects ?? []) out.push(`${now / MINUTE} ${brief(effect)}`);
  };
  step({ kind: "start" }, 0);
  for (const [minute, input] of inputs) {
    for (let due = dueOf(state); due !== null && due <= minute * MINUTE; due = dueOf(state)) step(tick, due);
    step(input, minute * MINUTE);
  }
  return out;
}

function dueOf(state: EscalationState | null): number | null {
  return state?.due_at ?? null;
}

describe("an escalation", () => {
  const end: Timed = [999, tick];
  it.each<[string, EscalationPolicyRules, ResolvedSteps, Timed[], string[]]>([
    [
      "notifies step 1 at once, each further step its wait after the one before, and the owner at the end",
      policy([9, 5, 10]),
      people(["a"], ["b", "c"], ["d"]),
      [end],
      ["0 active", "0 a#0.0", "5 b#0.1", "5 c#0.1", "15 d#0.2", "25 owner nobody_answered", "25 exhausted"],
    ],
    [
      "goes through its rounds",
      policy([0, 5], 1),
      people(["a"], ["b"]),
      [end],
      ["0 active", "0 a#0.0", "5 b#0.1", "10 a#1.0", "15 b#1.1", "20 owner nobody_answered", "20 exhausted"],
    ],
    [
      "repeats a single step after its wait",
      policy([3], 2),
      people(["a"]),
      [end],
      ["0 active", "0 a#0.0", "3 a#1.0", "6 a#2.0", "9 owner nobody_answered", "9 exhausted"],
    ],
    [
      "leaves a minute to answer where all waits are 0",
      policy([0]),
      people(["a"]),
      [end],
      ["0 active", "0 a#0.0", "1 owner nobody_answered", "1 exhausted"],
    ],
    [
      "goes over a gap at once",
      policy([0, 5, 5]),
      people([], ["b"], []),
      [end],
      ["0 active", "0 gap#0.0", "0 b#0.1", "5 gap#0.2", "5 owner nobody_answered", "5 exhausted"],
    ],
    [
      "notifies the owner at once when no step leads to anybody",
      policy([0, 5], 3),
      people([], []),
      [end],
      ["0 active", "0 gap#0.0", "0 gap#0.1", "0 owner nobody_reached", "0 exhausted"],
    ],
    [
      "notifies the owner at once without any step",
      policy([]),
      people(),
      [end],
      ["0 active", "0 owner nobody_reached", "0 exhausted"],
    ],
    [
      "goes on at once when the only contact of a step fails",
      policy([0, 5]),
      people(["a"], ["b"]),
      [[2, failed("0.0.0.a")], end],
      ["0 active", "0 a#0.0", "2 b#0.1", "7 owner nobody_answered", "7 exhausted"],
    ],
    [
      "ends as unanswered where an earlier step reached somebody and the last one fails",
      policy([0, 5]),
      people(["a"], ["b"]),
      [[5, failed("0.0.1.b")]],
      ["0 active", "0 a#0.0", "5 b#0.1", "5 owner nobody_answered", "5 exhausted"],
    ],
    [
      "waits for the other contact of a step when one fails",
      policy([0, 5]),
      people(["a", "b"], ["c"]),
      [
        [1, failed("0.0.0.a")],
        [2, failed("0.0.0.a")],
        [3, failed("0.0.0.b")],
        [3, { kind: "acknowledge" }],
      ],
      ["0 active", "0 a#0.0", "0 b#0.0", "3 c#0.1", "3 cancel", "3 acknowledged"],
    ],
    [
      "does not care for a failure of an earlier step",
      policy([0, 5, 5]),
      people(["a"], ["b"], ["c"]),
      [
        [6, failed("0.0.0.a")],
        [7, { kind: "resolve" }],
      ],
      ["0 active", "0 a#0.0", "5 b#0.1", "7 cancel", "7 resolved"],
    ],
    [
      "notifies the owner when the last contact fails",
      policy([0]),
      people(["a"]),
      [[0, failed("0.0.0.a")]],
      ["0 active", "0 a#0.0", "0 owner nobody_reached", "0 exhausted"],
    ],
    [
      "ends with an acknowledgement, which counts once",
      policy([0, 5]),
      people(["a"], ["b"]),
      [[4, { kind: "acknowledge" }], [4, { kind: "acknowledge" }], end],
      ["0 active", "0 a#0.0", "4 cancel", "4 acknowledged"],
    ],
    [
      "can be acknowledged when it is exhausted",
      policy([1]),
      people(["a"]),
      [[4, { kind: "acknowledge" }]],
      ["0 active", "0 a#0.0", "1 owner nobody_answered", "1 exhausted", "4 cancel", "4 acknowledged"],
    ],
    [
      "ends when it is resolved, and begins anew when it is reopened",
      policy([0, 5]),
      people(["a"], ["b"]),
      [
        [1, { kind: "resolve" }],
        [2, { kind: "acknowledge" }],
        [8, { kind: "reopen" }],
        [14, { kind: "resolve" }],
      ],
      ["0 active", "0 a#0.0", "1 cancel", "1 resolved", "8 active", "8 a#0.0", "13 b#0.1", "14 cancel", "14 resolved"],
    ],
    [
      "rests while it is snoozed and then begins with step 1",
      policy([0, 5]),
      people(["a"], ["b"]),
      [
        [1, { kind: "snooze", until: 30 * MINUTE }],
        [29, tick],
        [31, { kind: "resolve" }],
      ],
      ["0 active", "0 a#0.0", "1 cancel", "1 snoozed", "30 active", "30 a#0.0", "31 cancel", "31 resolved"],
    ],
    [
      "can be snoozed after it was acknowledged, but not into the past",
      policy([0]),
      people(["a"]),
      [
        [0, { kind: "acknowledge" }],
        [1, { kind: "snooze", until: MINUTE }],
        [1, { kind: "snooze", until: MINUTE + 1 }],
      ],
      ["0 active", "0 a#0.0", "0 cancel", "0 acknowledged", "1 cancel", "1 snoozed"],
    ],
    [
      "notifies one person once in a step who is named twice",
      policy([0]),
      people(["a", "a"]),
      [[0, { kind: "resolve" }]],
      ["0 active", "0 a#0.0", "0 cancel", "0 resolved"],
    ],
  ])("%s", (_name, of, resolved, inputs, expected) => {
    expect(play(of, resolved, inputs)).toEqual(expected);
  });

  it("is started by a start alone, and once", () => {
    const context = { policy: policy([0]), resolved: people(["a"]) };
    expect(decide(null, tick, context, 0)).toBeNull();
    const started = decide(null, { kind: "start" }, context, 0);
    expect(decide(started?.state ?? null, { kind: "start" }, context, 9)).toMatchObject({
      accepted: false,
      effects: [],
    });
  });

  it("is snoozed for a week at most", () => {
    const context = { policy: policy([0]), resolved: people(["a"]) };
    const started = decide(null, { kind: "start" }, context, 0)?.state ?? null;
    const snoozed = decide(started, { kind: "snooze", until: SNOOZE_MAX_MS + 1 }, context, 0);
    expect(snoozed?.state.due_at).toBe(SNOOZE_MAX_MS);
  });

  it("is due after what was left when the clock went back", () => {
    const context = { policy: policy([0, 5]), resolved: people(["a"], ["b"]) };
    const started = decide(null, { kind: "start" }, context, 1000 * MINUTE)?.state ?? null;
    const ticked = decide(started, tick, context, 10 * MINUTE);
    expect(ticked?.state.due_at).toBe(15 * MINUTE);
  });
});

const anyRules = fc
  .record({
    waits: fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 4 }),
    repeat: fc.integer({ min: 0, max: 2 }),
  })
  .map(({ waits, repeat }) => policy(waits, repeat));
/** Who is on call in each step, by the hour; often nobody. */
const anyTeams = fc.array(
  fc.array(fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 2 }), { minLength: 4, maxLength: 4 }),
  { minLength: 1, maxLength: 6 },
);
/** The world's moves between ticks: the clock jumps, notifications fail, inputs come twice. */
const anyMoves = fc.array(
  fc.record({
    jump: fc.constantFrom(0, 0, 0, -600, -7, 3, 45, 6000),
    late: fc.integer({ min: 0, max: 5 }),
    fail: fc.constantFrom("none", "none", "first", "all", "foreign"),
  }),
  { maxLength: 40 },
);

interface Story {
  notified: string[];
  isOwnerNotified: boolean;
  state: EscalationState;
  /** Minutes that really passed. */
  elapsed: number;
}

/** One outage that nobody ever acknowledges. Every state goes through JSON, as over restarts, and every input comes twice. */
function suffer(
  of: EscalationPolicyRules,
  teams: string[][][],
  moves: { jump: number; late: number; fail: string }[],
): Story {
  let [clock, elapsed] = [10_000, 0];
  let stored: string | null = null;
  const notified: string[] = [];
  let isOwnerNotified = false;
  const step = (input: EscalationInput): EscalationState => {
    const team = teams[Math.floor(clock / 60) % teams.length] ?? [];
    const context = { policy: of, resolved: people(...team.slice(0, of.steps.length)) };
    let state: EscalationState | null = stored === null ? null : JSON.parse(stored);
    for (const isRepeat of [false, true]) {
      const decision = decide(state, input, context, clock * MINUTE);
      if (decision === null) throw new Error("not started");
      if (isRepeat && input.kind !== "tick") expect(decision.effects).toEqual([]);
      for (const effect of decision.effects) {
        if (effect.kind === "notify") notified.push(effect.notification_id);
        if (effect.kind === "notify_owner") isOwnerNotified = true;
      }
      state = decision.state;
    }
    if (state === null) throw new Error("not started");
    stored = JSON.stringify(state);
    return state;
  };
  let state = step({ kind: "start" });
  for (let n = 0; state.status === "active"; n += 1) {
    if (n > 200) throw new Error("the escalation does not end");
    const { jump, late, fail } = moves[n] ?? { jump: 0, late: 0, fail: "none" };
    const current = Object.keys(state.reached);
    const failing = { none: [], first: current.slice(0, 1), all: current, foreign: ["0.9.9.z"] }[fail] ?? [];
    for (const id of failing) state = step({ kind: "notification_failed", notification_id: id });
    clock += jump;
    state = step(tick);
    if (state.due_at === null) break;
    const wait = Math.max(0, Math.ceil(state.due_at / MINUTE) - clock) + late;
    [clock, elapsed] = [clock + wait, elapsed + wait];
    state = step(tick);
  }
  return { notified, isOwnerNotified, state, elapsed };
}

describe("any outage that nobody acknowledges", () => {
  it("reaches the owner in the end, through every team, gap, failure, clock and restart", () => {
    fc.assert(
      fc.property(anyRules, anyTeams, anyMoves, (of, teams, moves) => {
        const { isOwnerNotified, state, elapsed } = suffer(of, teams, moves);
        expect([isOwnerNotified, state.status]).toEqual([true, "exhausted"]);
        const stepsMax = of.steps.length * (of.repeat_count + 1);
        const waitMax = Math.max(1, ...of.steps.map(({ wait_minutes }) => wait_minutes));
        // Each wait may begin again once when the clock goes back, and each tick may be late.
        expect(elapsed).toBeLessThanOrEqual(2 * stepsMax * waitMax + 5 * (moves.length + 1) * 2);
      }),
      { numRuns: 5000 },
    );
  });

  it("notifies nobody twice for one step of one round", () => {
    fc.assert(
      fc.property(anyRules, anyTeams, anyMoves, (of, teams, moves) => {
        const { notified } = suffer(of, teams, moves);
        expect(new Set(notified).size).toBe(notified.length);
      }),
      { numRuns: 3000 },
    );
  });

  it("notifies a person or the owner in the very decision that starts it", () => {
    fc.assert(
      fc.property(anyRules, anyTeams, (of, [team = []]) => {
        const resolved = people(...team.slice(0, of.steps.length));
        const { effects = [], state } = decide(null, { kind: "start" }, { policy: of, resolved }, 0) ?? {};
        const kinds = effects.map(({ kind }) => kind);
        const hasSomebody = resolved.some((recipients) => recipients.length > 0);
        expect(kinds.includes("notify")).toBe(hasSomebody);
        expect(kinds.includes("notify_owner")).toBe(!hasSomebody);
        expect(state?.due_at !== null).toBe(state?.status === "active");
      }),
      { numRuns: 2000 },
    );
  });

  it("always has something due while it is active or snoozed, after any actions", () => {
    const anyInput = fc.oneof(
      fc.constantFrom<EscalationInput[]>(
        tick,
        { kind: "start" },
        { kind: "acknowledge" },
        { kind: "resolve" },
        { kind: "reopen" },
        failed("0.0.0.a"),
      ),
      fc.integer({ min: -10, max: 100 }).map((until): EscalationInput => ({ kind: "snooze", until: until * MINUTE })),
    );
    const inputs = fc.array(fc.tuple(anyInput, fc.integer({ min: -20, max: 40 })), { maxLength: 30 });
    fc.assert(
      fc.property(anyRules, anyTeams, inputs, (of, [team = []], steps) => {
        const context = { policy: of, resolved: people(...team.slice(0, of.steps.length)) };
        let [now, state] = [0, decide(null, { kind: "start" }, context, 0)?.state ?? null];
        for (const [input, minutes] of steps) {
          now += minutes * MINUTE;
          const decision = decide(state, input, context, now);
          if (decision === null) throw new Error("not started");
          const { due_at, status, entered_at } = decision.state;
          expect(due_at !== null).toBe(status === "active" || status === "snoozed");
          if (due_at !== null) expect(entered_at).toBeLessThanOrEqual(now);
          const changed = decision.effects.find(({ kind }) => kind === "status_changed");
          if (!decision.accepted) expect(decision.effects).toEqual([]);
          if (changed === undefined) expect(status).toBe(state?.status);
          state = decision.state;
        }
      }),
      { numRuns: 3000 },
    );
  });
});

describe("an escalation policy's body", () => {
  const contact = { type: "email", value: "a@b.example" };
  const step = { level: 1, contacts: [contact] };
  const flawsOf = (body: unknown) =>
    EscalationPolicyCreate.safeParse(body).error?.issues.map(({ path, message }) => `${path.join(".")} ${message}`) ??
    [];

  it("is stored complete and in the order of level", () => {
    const { steps } = EscalationPolicyCreate.parse({
      name: "P",
      steps: [
        { ...step, level: 2 },
        { ...step, wait_minutes: 0 },
      ],
    });
    expect(completeSteps(steps)).toEqual([
      { level: 1, wait_minutes: 0, contacts: [{ ...contact, label: null }] },
      { level: 2, wait_minutes: 5, contacts: [{ ...contact, label: null }] },
    ]);
  });

  it.each([
    ["one step", { name: "P", steps: [step] }, 0],
    ["no step", { name: "P", steps: [] }, 1],
    ["20 steps", { name: "P", steps: Array.from({ length: 20 }, (_, n) => ({ ...step, level: n + 1 })) }, 0],
    ["21 steps", { name: "P", steps: Array.from({ length: 21 }, (_, n) => ({ ...step, level: n + 1 })) }, 1],
    ["a repeated level", { name: "P", steps: [step, step] }, 1],
    ["a step without contacts", { name: "P", steps: [{ ...step, contacts: [] }] }, 1],
    ["a wait of a day", { name: "P", steps: [{ ...step, wait_minutes: 1440 }] }, 0],
    ["a longer wait", { name: "P", steps: [{ ...step, wait_minutes: 1441 }] }, 1],
    ["10 repeats", { name: "P", steps: [step], repeat_count: 10 }, 0],
    ["11 repeats", { name: "P", steps: [step], repeat_count: 11 }, 1],
  ])("with %s", (_name, body, count) => {
    expect(flawsOf(body)).toHaveLength(count);
  });

  it.each([
    ["email", "a@b.example", null],
    ["email", "nobody", "must be an e-mail address"],
    ["user", ID, null],
    ["user", "x", "must be the id of a user"],
    ["schedule", ID, null],
    ["schedule", "x", "must be the id of a schedule"],
    ["webhook", "https://a.example/x", null],
    ["webhook", ID, null],
    ["webhook", "ftp://a.example/x", "must be an https URL or the id of a webhook"],
    ["slack", "https://hooks.slack.example/x", null],
    ["telegram", "-100123", null],
    ["discord", "discord:channel:1", null],
    ["sms", ID, null],
    ["phone", ID, null],
    ["sms", "+49123", "must be the id of a user"],
    ["phone", "+49123", "must be the id of a user"],
  ])("judges the contact %s %s", (type, value, message) => {
    const { error } = EscalationContact.safeParse({ type, value });
    expect(error?.issues[0]?.message ?? null).toBe(message);
  });
});
