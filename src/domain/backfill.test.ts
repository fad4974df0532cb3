import { describe, expect, it } from "vitest";
import {
  applyThresholds,
  type BackfilledOutage,
  backfillInterval,
  backfillStretches,
  type LateResult,
  listBackfilledOutages,
  type RecordedOutage,
  type SourcedInterval,
} from "./backfill.ts";

const REACH = { valid_for_ms: 90, until: 10_000, last: 10_000 };

/** "unknown 0-600", with "agent" at the end for what was filled in. */
function read(text: string): SourcedInterval {
  const [status, range = "", source = "check"] = text.split(" ");
  const [from, to] = range.split("-");
  return {
    status: status as SourcedInterval["status"],
    from_at: Number(from),
    to_at: to === "" ? null : Number(to),
    source: source as SourcedInterval["source"],
  };
}

function show({ status, from_at, to_at, source }: SourcedInterval): string {
  return `${status} ${from_at}-${to_at ?? ""}${source === "check" ? "" : ` ${source}`}`;
}

const late = (checked_at: number, status: LateResult["status"] = "up"): LateResult => ({
  checked_at,
  status,
  message: `${status} at ${checked_at}`,
  is_late: true,
});
const present = (checked_at: number): LateResult => ({ ...late(checked_at), is_late: false });

describe("filling an unknown stretch", () => {
  it.each<[string, string, LateResult[], string[]]>([
    ["without results leaves it", "unknown 0-600", [], ["unknown 0-600"]],
    [
      "with one in its middle speaks from the check on",
      "unknown 0-600",
      [late(100)],
      ["unknown 0-100", "up 100-190 agent", "unknown 190-600"],
    ],
    [
      "with one at its first instant leaves nothing before",
      "unknown 100-600",
      [late(100)],
      ["up 100-190 agent", "unknown 190-600"],
    ],
    [
      "with one before it takes what is left of its time",
      "unknown 100-600",
      [late(50)],
      ["up 100-140 agent", "unknown 140-600"],
    ],
    ["with one that spoke until just before it changes nothing", "unknown 100-600", [late(10)], ["unknown 100-600"]],
    [
      "with one at its end changes nothing, for the end is not part of it",
      "unknown 100-600",
      [late(600)],
      ["unknown 100-600"],
    ],
    [
      "with one at its last instant takes that instant",
      "unknown 100-600",
      [late(599)],
      ["unknown 100-599", "up 599-600 agent"],
    ],
    ["with equal results gives one piece", "unknown 0-180", [late(0), late(60), late(120)], ["up 0-180 agent"]],
    [
      "with a change of mind cuts at the check that changed it",
      "unknown 0-180",
      [late(0), late(60, "down"), late(120)],
      ["up 0-60 agent", "down 60-120 agent", "up 120-180 agent"],
    ],
    [
      "leaves a hole where the results have one",
      "unknown 0-400",
      [late(0), late(200, "degraded")],
      ["up 0-90 agent", "unknown 90-200", "degraded 200-290 agent", "unknown 290-400"],
    ],
    [
      "stops at a result that was in time",
      "unknown 0-400",
      [late(0), present(60)],
      ["up 0-60 agent", "unknown 60-400"],
    ],
    [
      "never fills the present of one that lasts",
      "unknown 9900-",
      [late(9950)],
      ["unknown 9900-9950", "up 9950-10000 agent", "unknown 10000-"],
    ],
    ["does so with a pending one, too", "pending 0-100", [late(20)], ["pending 0-20", "up 20-100 agent"]],
    [
      "tells more exactly what was filled in before",
      "up 0-90 agent",
      [late(0), late(40, "down")],
      ["up 0-40 agent", "down 40-90 agent"],
    ],
  ])("%s", (_name, stretch, measurements, expected) => {
    expect(backfillInterval(read(stretch), measurements, REACH).map(show)).toEqual(expected);
  });

  it.each([
    "up 0-600",
    "down 0-600",
    "degraded 0-600",
    "paused 0-600",
  ])("leaves %s alone, which somebody vouched for", (text) => {
    expect(backfillInterval(read(text), [late(100, "down")], REACH).map(show)).toEqual([text]);
  });
});

/** A generator of numbers that repeats itself, so that a failure can be looked at again. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe("with any results", () => {
  const cases = Array.from({ length: 500 }, (_, seed) => {
    const next = numbers(seed + 1);
    const from_at = next(500);
    const to_at = next(4) === 0 ? null : from_at + 1 + next(500);
    const stretch: SourcedInterval = { status: next(2) === 0 ? "unknown" : "pending", from_at, to_at, source: "check" };
    const statuses = ["up", "down", "degraded"] as const;
    const measurements = [...new Set(Array.from({ length: next(12) }, () => next(1100)))]
      .sort((a, b) => a - b)
      .map(
        (checked_at): LateResult => ({
          checked_at,
          status: statuses[next(3)] ?? "up",
          message: "",
          is_late: next(4) > 0,
        }),
      );
    return { stretch, measurements, reach: { ...REACH, valid_for_ms: 1 + next(150), until: next(1200) } };
  });

  it("the pieces cover the stretch without gap, overlap or empty piece", () => {
    for (const { stretch, measurements, reach } of cases) {
      const pieces = backfillInterval(stretch, measurements, reach);
      expect(pieces.at(0)?.from_at).toBe(stretch.from_at);
      expect(pieces.at(-1)?.to_at).toBe(stretch.to_at);
      for (const [n, piece] of pieces.entries()) {
        expect(piece.from_at).toBeLessThan(piece.to_at ?? Number.POSITIVE_INFINITY);
        const next = pieces[n + 1];
        if (next) expect(next.from_at).toBe(piece.to_at);
      }
    }
  });

  it("every instant says what the newest result said that reaches it, or stays as it was", () => {
    for (const { stretch, measurements, reach } of cases) {
      const pieces = backfillInterval(stretch, measurements, reach);
      for (let at = stretch.from_at; at < (stretch.to_at ?? 1300); at += 7) {
        const newest = measurements.findLast(({ checked_at }) => checked_at <= at);
        const isReached = newest?.is_late && at < newest.checked_at + reach.valid_for_ms && at < reach.until;
        const piece = pieces.find(({ from_at, to_at }) => from_at <= at && at < (to_at ?? Number.POSITIVE_INFINITY));
        expect(piece?.status).toBe(isReached ? newest.status : stretch.status);
        expect(piece?.source).toBe(isReached ? "agent" : "check");
      }
    }
  });

  it("doing it again changes nothing", () => {
    for (const { stretch, measurements, reach } of cases) {
      const once = backfillInterval(stretch, measurements, reach);
      expect(once.flatMap((piece) => backfillInterval(piece, measurements, reach))).toEqual(once);
    }
  });
});

describe("late results under the thresholds of their monitor", () => {
  const STATUSES = { u: "up", d: "down", s: "degraded" } as const;

  /** One result a minute, as letters; "." is a minute without. Each row: what was measured, and what it says. */
  it.each<[string, { measured: string; isDown?: boolean; said: string }]>([
    ["leave one failure below the threshold out", { measured: "uudu", said: "uuuu" }],
    ["date an outage back to its first failure", { measured: "udddu", said: "udddd" }],
    ["end it with the first success of a recovery", { measured: "dddduu", said: "dddduu" }],
    ["go on with it when a recovery breaks off", { measured: "dddudd", said: "dddddd" }],
    ["say nothing of failures before which nothing is known", { measured: "ddu", said: "u" }],
    ["know that it was down before them", { measured: "du", isDown: true, said: "dd" }],
    ["do not add failures before a gap to those after it", { measured: "udd..du", said: "uuuu" }],
    ["take a slow success for a success", { measured: "dddssu", said: "dddssu" }],
  ])("%s", (_name, { measured, isDown = false, said }) => {
    const results = [...measured].flatMap((letter, minute) =>
      letter in STATUSES ? [late(minute * 60, STATUSES[letter as keyof typeof STATUSES])] : [],
    );
    const rules = { failure_threshold: 3, recovery_threshold: 2 };
    const judged = applyThresholds(results, rules, { ...REACH, isDown });
    expect(judged.map(({ status }) => (status === "degraded" ? "s" : status[0])).join("")).toBe(said);
  });

  it("are outages as long as they say down, each with its first message", () => {
    const intervals = [
      "up 0-60 agent",
      "down 60-90 agent",
      "down 90-120 agent",
      "up 120-180 agent",
      "down 180-240 agent",
    ];
    const results = [late(0), late(60, "down"), late(90, "down"), late(120), late(180, "down")];
    const around = { window: { from: 0, to: 300 }, recorded: [] };
    expect(listBackfilledOutages(intervals.map(read), results, around)).toEqual([
      { started_at: 60, ended_at: 120, cause: "down at 60", evidence: null },
      { started_at: 180, ended_at: 240, cause: "down at 180", evidence: null },
    ]);
    expect(listBackfilledOutages([read("down 0-60"), read("unknown 60-90")], results, around)).toEqual([]);
  });
});

describe("results that come in parts of any size, in any order and again", () => {
  const RULES = { failure_threshold: 3, recovery_threshold: 2, valid_for_ms: 90 };
  const RUN_MS = RULES.valid_for_ms * 3;
  const CUT_OFF = 600;

  /**
   * A monitor up or down for some minutes each, once every minute, the last ones while its agent was cut off. In order, as an
   * agent sends them, with single slips; in another one only what follows would say what a slip is.
   */
  function history(next: (below: number) => number, isInOrder: boolean): LateResult[] {
    const results: LateResult[] = [];
    let status: LateResult["status"] = next(2) === 0 ? "up" : "down";
    for (let at = CUT_OFF - 180; at < 6000; ) {
      const length = 4 + next(15);
      for (let n = 0; n < length; n++, at += 60) {
        const slips = isInOrder && at >= CUT_OFF && n > 0 && n < length - 1 && next(8) === 0;
        const other = status === "up" ? "down" : "up";
        results.push({ ...late(at, slips ? other : status), is_late: at >= CUT_OFF });
      }
      status = status === "up" ? "down" : "up";
    }
    return results;
  }

  function arrivals(
    results: readonly LateResult[],
    next: (below: number) => number,
    isInOrder: boolean,
  ): LateResult[][] {
    const size = 1 + next(60);
    const parts = Array.from({ length: Math.ceil(results.length / size) }, (_, n) =>
      results.slice(n * size, (n + 1) * size),
    );
    const inOrder = [parts, parts.flatMap((part) => [part, part]), [...parts, ...parts]];
    const newestFirst = [...parts.slice(-1), ...parts.slice(0, -1)];
    const orders = isInOrder ? inOrder : [parts.toReversed(), newestFirst, parts.toSorted(() => next(3) - 1)];
    return orders[next(orders.length)] ?? parts;
  }

  /** What is known after each part, as it is stored. */
  function receive(parts: readonly LateResult[][], announced: RecordedOutage[], known: SourcedInterval[]) {
    const stored = new Map<number, LateResult>();
    let stretches = known;
    let outages: BackfilledOutage[] = [];
    for (const part of parts) {
      for (const result of part) stored.set(result.checked_at, result);
      const [first, last] = [part[0]?.checked_at ?? 0, part.at(-1)?.checked_at ?? 0];
      const measurements = [...stored.values()]
        .filter(({ checked_at }) => checked_at >= first - RUN_MS && checked_at <= last + RUN_MS)
        .toSorted((a, b) => a.checked_at - b.checked_at);
      const window = {
        from: (measurements[0]?.checked_at ?? 0) - RULES.valid_for_ms,
        to: (measurements.at(-1)?.checked_at ?? 0) + RULES.valid_for_ms,
      };
      const near = stretches.filter(({ from_at, to_at }) => from_at < window.to && (to_at ?? Infinity) > window.from);
      const filled = backfillStretches(near, measurements, {
        ...RULES,
        until: last + RUN_MS + 1,
        last,
      });
      const pieces = new Map(filled.map(({ stretch, pieces }) => [stretch, pieces]));
      stretches = stretches.flatMap((stretch) => pieces.get(stretch) ?? [stretch]);
      const recorded = [...announced, ...outages.map((outage) => ({ ...outage, is_backfilled: true }))];
      const shown = filled.flatMap(({ pieces }) => pieces);
      outages = listBackfilledOutages(shown, measurements, { window, recorded });
    }
    return { stretches, outages };
  }

  it.each([
    "in order",
    "in any",
  ])("%s say the same of every instant, and list the same outages, of which no two overlap", (order) => {
    const isInOrder = order === "in order";
    for (let seed = 1; seed <= 500; seed++) {
      const next = numbers(seed);
      const results = history(next, isInOrder);
      const wasDown = results[0]?.status === "down";
      const known = [
        { status: wasDown ? "down" : "up", from_at: 0, to_at: CUT_OFF, source: "check" },
        { status: "unknown", from_at: CUT_OFF, to_at: null, source: "unreachable" },
      ] satisfies SourcedInterval[];
      const announced = wasDown
        ? [{ started_at: 0, ended_at: null, cause: "", evidence: null, is_backfilled: false }]
        : [];
      const whole = receive([results], announced, known);
      const late = results.filter(({ is_late }) => is_late);
      const fresh = results.filter(({ is_late }) => !is_late);
      const parted = receive([fresh, ...arrivals(late, next, isInOrder)], announced, known);
      const shapes = (intervals: SourcedInterval[]) => mergeEqual(intervals).map(show);
      expect(shapes(parted.stretches), `seed ${seed}`).toEqual(shapes(whole.stretches));
      expect(parted.outages, `seed ${seed}`).toEqual(whole.outages);
      const listed = [...announced, ...parted.outages].toSorted((a, b) => a.started_at - b.started_at);
      for (const [n, { ended_at }] of listed.entries()) {
        const next = listed[n + 1];
        if (next && ended_at !== null) expect(ended_at, `seed ${seed}`).toBeLessThan(next.started_at);
      }
    }
  });
});

function mergeEqual(intervals: readonly SourcedInterval[]): SourcedInterval[] {
  const merged: SourcedInterval[] = [];
  for (const interval of intervals) {
    const last = merged.at(-1);
    if (last?.status === interval.status && last.source === interval.source) last.to_at = interval.to_at;
    else merged.push({ ...interval });
  }
  return merged;
}
