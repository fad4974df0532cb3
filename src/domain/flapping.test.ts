import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ChangeEvent,
  decide,
  FLAPPING_RULES,
  type FlappingEffect,
  type FlappingState,
  STEADY,
} from "./flapping.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

interface StatusChange {
  at: number;
  event: ChangeEvent;
}

const alternate = (times: readonly number[]): StatusChange[] =>
  times.map((at, n) => ({ at, event: n % 2 === 0 ? "monitor.down" : "monitor.up" }));
const every = (step: number, count: number, from = 0) => Array.from({ length: count }, (_, n) => from + n * step);

type Delivery = Extract<FlappingEffect, { kind: "deliver" | "deliver_end" }>;
const isDelivery = (effect: FlappingEffect): effect is Delivery =>
  effect.kind === "deliver" || effect.kind === "deliver_end";

/** What goes out and when, with a tick at every `wake_at`, as `down@60`; the time is in seconds. */
function play(changes: readonly StatusChange[], until: number, rules: typeof FLAPPING_RULES | null = FLAPPING_RULES) {
  const out: string[] = [];
  let state: FlappingState = STEADY;
  let wakeAt: number | null = null;
  const step = (input: Parameters<typeof decide>[1], now: number) => {
    const decision = decide(state, input, rules, now);
    for (const effect of decision.effects) {
      if (isDelivery(effect)) out.push(`${effect.event.slice("monitor.".length)}@${now / SECOND}`);
      if (effect.kind === "announce_flapping") out.push(`flapping@${now / SECOND}`);
      if (effect.kind === "flapping_ended") out.push(`ended@${now / SECOND}`);
    }
    ({ state, wake_at: wakeAt } = decision);
  };
  const tickUntil = (end: number) => {
    while (wakeAt !== null && wakeAt <= end) step({ kind: "tick" }, wakeAt);
  };
  changes.forEach(({ at, event }, n) => {
    tickUntil(at);
    step({ kind: "change", seq: n + 1, event }, at);
  });
  tickUntil(until);
  return out;
}

const firstSeven = ["down@0", "up@10", "down@20", "up@30", "down@40", "up@50", "down@60"];

describe("flapping", () => {
  it.each<[string, number[], string[]]>([
    ["six changes in 10 minutes are announced", every(10 * SECOND, 6), firstSeven.slice(0, 6)],
    [
      "seven changes are announced, and then that the monitor flaps",
      every(10 * SECOND, 7),
      [...firstSeven, "flapping@60", "ended@360"],
    ],
    [
      "the seventh 10 minutes after the first does not flap",
      [...every(10 * SECOND, 6), 10 * MINUTE],
      [...firstSeven.slice(0, 6), "down@600"],
    ],
    [
      "the seventh 1 ms earlier does",
      [...every(10 * SECOND, 6), 10 * MINUTE - 1],
      [...firstSeven.slice(0, 6), "down@599.999", "flapping@599.999", "ended@899.999"],
    ],
    [
      "the latest state alone goes out when the monitor is stable for 5 minutes",
      every(10 * SECOND, 10),
      [...firstSeven, "flapping@60", "up@390", "ended@390"],
    ],
    [
      "down for 60 s goes out although it flaps",
      every(10 * SECOND, 9),
      [...firstSeven, "flapping@60", "down@140", "ended@380"],
    ],
    [
      "down for less than 60 s waits",
      [...every(10 * SECOND, 8), 80 * SECOND, 139_999],
      [...firstSeven, "flapping@60", "up@439.999", "ended@439.999"],
    ],
    [
      "a recovery that is the seventh waits until the monitor is stable",
      [0, 10 * MINUTE, ...every(10 * SECOND, 6, 10 * MINUTE + 10 * SECOND)],
      [
        "down@0",
        "up@600",
        "down@610",
        "up@620",
        "down@630",
        "up@640",
        "down@650",
        "flapping@660",
        "up@960",
        "ended@960",
      ],
    ],
    [
      "the count begins again after flapping ended",
      [...every(10 * SECOND, 7), ...every(10 * SECOND, 2, 400 * SECOND)],
      [...firstSeven, "flapping@60", "ended@360", "up@400", "down@410"],
    ],
  ])("%s", (_name, times, expected) => {
    expect(play(alternate(times), 60 * MINUTE)).toEqual(expected);
  });

  it("lets the latest state out after 15 minutes of flapping, and only once in each 15 minutes", () => {
    const out = play(alternate(every(30 * SECOND, 121)), 60 * MINUTE);
    const late = out.filter((entry) => Number(entry.split("@")[1]) > 180);
    expect(out.slice(0, 8)).toEqual([
      "down@0",
      "up@30",
      "down@60",
      "up@90",
      "down@120",
      "up@150",
      "down@180",
      "flapping@180",
    ]);
    // Held from the eighth change at 210 s on; what is due comes before the change of the same second.
    expect(late).toEqual(["down@1110", "down@2010", "down@2910"]);
  });

  it("delivers everything at once when it is switched off, also what is held", () => {
    const changes = alternate(every(SECOND, 20));
    expect(play(changes, MINUTE, null)).toHaveLength(20);
    const held: FlappingState = {
      last_seq: 9,
      seen_at: 0,
      changed_at: [],
      flapping: { since: 0, changed_at: 0, held: { seq: 9, event: "monitor.up", at: 0, since: 0 } },
    };
    expect(decide(held, { kind: "tick" }, null, 1).effects).toEqual([
      // What the previous release stored does not say what was announced.
      { kind: "deliver_end", seq: 9, event: "monitor.up", ends: null },
      { kind: "flapping_ended" },
    ]);
  });

  it("drops what is held when the monitor is paused", () => {
    const held = { seq: 9, event: "monitor.up" as const, at: 0, since: 0 };
    const state: FlappingState = {
      last_seq: 9,
      seen_at: 0,
      changed_at: [],
      flapping: { since: 0, changed_at: 0, held },
    };
    const decision = decide(state, { kind: "pause" }, FLAPPING_RULES, 1);
    expect(decision).toEqual({
      state: { last_seq: 9, seen_at: 1, changed_at: [], flapping: null },
      effects: [{ kind: "drop", seq: 9 }, { kind: "flapping_ended" }],
      wake_at: null,
    });
  });
});

const anyChanges = fc
  .array(
    fc.tuple(
      fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }), fc.integer({ min: 50, max: 400 })),
      fc.constantFrom<ChangeEvent[]>("monitor.down", "monitor.up", "monitor.degraded"),
    ),
    { maxLength: 60 },
  )
  .map((steps) => {
    let at = 0;
    return steps.map(([gap, event]): StatusChange => {
      at += gap * SECOND;
      return { at, event };
    });
  });

/** The same rules second by second, over the list of everything that happened. */
function oracle(changes: readonly StatusChange[], until: number): string[] {
  const out: string[] = [];
  let counted: number[] = [];
  let waiting: (StatusChange & { from: number }) | undefined;
  let [flaps, lastChange] = [false, 0];
  for (let now = 0; now <= until; now += SECOND) {
    const say = (word: string) => out.push(`${word}@${now / SECOND}`);
    const word = ({ event }: StatusChange) => event.replace("monitor.", "");
    const isStable = flaps && now - lastChange === 300 * SECOND;
    const isLate = waiting !== undefined && now - waiting.from === 900 * SECOND;
    const isDown = waiting?.event === "monitor.down" && now - waiting.at === 60 * SECOND;
    if (waiting && (isStable || isLate || isDown)) {
      say(word(waiting));
      waiting = undefined;
    }
    if (isStable) {
      say("ended");
      flaps = false;
    }
    const change = changes.find(({ at }) => at === now);
    if (!change) continue;
    lastChange = now;
    if (flaps) {
      waiting = { ...change, from: waiting?.from ?? now };
      continue;
    }
    counted = [...counted, now].filter((at) => at > now - 600 * SECOND);
    const isHeld = counted.length === 7 && change.event === "monitor.up";
    if (!isHeld) say(word(change));
    if (counted.length < 7) continue;
    if (isHeld) waiting = { ...change, from: now };
    say("flapping");
    [flaps, counted] = [true, []];
  }
  return out;
}

describe("any changes", () => {
  it("are announced as they are second by second", () => {
    fc.assert(
      fc.property(anyChanges, (changes) => {
        const until = (changes.at(-1)?.at ?? 0) + 20 * MINUTE;
        expect(play(changes, until)).toEqual(oracle(changes, until));
      }),
      { numRuns: 2000 },
    );
  });

  it("end with everybody knowing the latest state, when ticks come late, twice or not at all", () => {
    const ticks = fc.array(fc.nat({ max: 400 }), { maxLength: 60 });
    fc.assert(
      fc.property(anyChanges, ticks, (changes, delays) => {
        let stored = JSON.stringify(STEADY);
        const delivered: number[] = [];
        const announced: number[] = [];
        const ended: number[] = [];
        const step = (input: Parameters<typeof decide>[1], now: number) => {
          const decision = decide(JSON.parse(stored), input, FLAPPING_RULES, now);
          stored = JSON.stringify(decision.state);
          for (const effect of decision.effects) {
            if (isDelivery(effect)) delivered.push(effect.seq);
            if (effect.kind === "announce_flapping") announced.push(now);
            if (effect.kind === "flapping_ended") ended.push(now);
          }
        };
        changes.forEach(({ at, event }, n) => {
          const input = { kind: "change", seq: n + 1, event } as const;
          step(input, at);
          step(input, at);
          const delay = delays[n];
          if (delay !== undefined) step({ kind: "tick" }, at + Math.min(delay * SECOND, 1));
        });
        const end = (changes.at(-1)?.at ?? 0) + 5 * MINUTE;
        step({ kind: "tick" }, end);
        step({ kind: "tick" }, end);
        expect(new Set(delivered).size).toBe(delivered.length);
        expect(delivered).toEqual([...delivered].sort((a, b) => a - b));
        expect(delivered.at(-1) ?? 0).toBe(changes.length);
        expect(ended.length).toBe(announced.length);
      }),
      { numRuns: 2000 },
    );
  });

  it("never count twice what a clock repeats that goes back", () => {
    const times = fc.array(fc.integer({ min: 0, max: 3600 }), { maxLength: 40 });
    fc.assert(
      fc.property(times, (seconds) => {
        let state: FlappingState = STEADY;
        seconds.forEach((second, n) => {
          const decision = decide(
            state,
            { kind: "change", seq: n + 1, event: "monitor.up" },
            FLAPPING_RULES,
            second * SECOND,
          );
          expect(decision.state.seen_at).toBe(Math.max(state.seen_at, second * SECOND));
          expect(decision.state.changed_at.length).toBeLessThanOrEqual(6);
          if (decision.wake_at !== null) expect(decision.wake_at).toBeGreaterThan(decision.state.seen_at);
          state = decision.state;
        });
      }),
    );
  });

  it("are never ended before they were announced, with anything that withholds them in between", () => {
    const spans = fc.array(fc.tuple(fc.nat({ max: 60 }), fc.nat({ max: 60 })), { maxLength: 3 });
    fc.assert(
      fc.property(anyChanges, spans, (changes, withheld) => {
        const isWithheld = (n: number) => withheld.some(([from, count]) => n >= from && n < from + count);
        const unended = new Set<number | "flapping">();
        const held: number[] = [];
        let state: FlappingState = STEADY;
        let wakeAt: number | null = null;
        const step = (input: Parameters<typeof decide>[1], now: number) => {
          const decision = decide(state, input, FLAPPING_RULES, now);
          for (const effect of decision.effects) {
            if (effect.kind === "announce_flapping") unended.add("flapping");
            if (effect.kind === "withhold") held.push(effect.seq);
            if (effect.kind === "deliver" && effect.event !== "monitor.up") unended.add(effect.seq);
            if (effect.kind === "deliver" && effect.event === "monitor.up") unended.clear();
            if (effect.kind !== "deliver_end") continue;
            const { seqs = [], flapping = false } = effect.ends ?? {};
            expect(seqs.length > 0 || flapping || unended.size === 0).toBe(true);
            for (const each of [...seqs, ...(flapping ? ["flapping" as const] : [])]) expect(unended).toContain(each);
            unended.clear();
          }
          ({ state, wake_at: wakeAt } = decision);
        };
        const tickUntil = (end: number, is_withheld: boolean) => {
          while (wakeAt !== null && wakeAt <= end) step({ kind: "tick", is_withheld }, wakeAt);
        };
        changes.forEach(({ at, event }, n) => {
          const is_withheld = isWithheld(n);
          tickUntil(at, is_withheld);
          const wasFlapping = state.flapping !== null;
          const isOpening = event !== "monitor.up";
          if (isOpening || wasFlapping || !is_withheld) {
            const ends = [...unended].filter((each) => each !== "flapping");
            step({ kind: "change", seq: n + 1, event, is_withheld: is_withheld && isOpening, ends }, at);
          }
        });
        tickUntil(Number.MAX_SAFE_INTEGER / 2, false);
        expect(state.flapping).toBeNull();
        for (const seq of held) expect(changes[seq - 1]?.event).not.toBe("monitor.up");
      }),
      { numRuns: 1000 },
    );
  });
});
