import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MONITOR_STATUSES, type MonitorStatus } from "../contract/monitor-values.ts";
import { mergeSpans, type Span } from "../lib/spans.ts";
import {
  compositeMaintenance,
  evaluateSla,
  type SlaRules,
  spanOfPeriod,
  splitIntoSteps,
  sumSlaTallies,
  tallySla,
  tallySteps,
} from "./sla.ts";
import type { StatusInterval } from "./uptime.ts";

const PLAIN: SlaRules = { exclude_maintenance: true, degraded_counts_as_downtime: false };
const STRICT: SlaRules = { exclude_maintenance: true, degraded_counts_as_downtime: true };
const SECOND = 1000;

/** Adjoining intervals in seconds; the last one lasts. */
function line(...stretches: [from: number, status: MonitorStatus][]): StatusInterval[] {
  return stretches.map(([from, status], n) => {
    const next = stretches[n + 1]?.[0];
    return { status, from_at: from * SECOND, to_at: next === undefined ? null : next * SECOND };
  });
}

const span = (from: number, to: number): Span => ({ from_at: from * SECOND, to_at: to * SECOND });

interface Case {
  intervals: StatusInterval[];
  maintenance?: Span[];
  range?: Span;
  now?: number;
  rules?: SlaRules;
}

/** In whole seconds. */
function tallied({ intervals, maintenance = [], range = span(0, 100), now = 100, rules = PLAIN }: Case) {
  const tally = tallySla(intervals, { maintenance, range, now: now * SECOND, rules });
  return [tally.up, tally.degraded, tally.down, tally.maintenance].map((ms) => ms / SECOND).concat(tally.outages);
}

describe("tallySla", () => {
  const down = line([0, "up"], [40, "down"], [60, "up"]);
  it.each<
    [name: string, given: Case, [up: number, degraded: number, down: number, maintenance: number, outages: number]]
  >([
    ["nothing", { intervals: [] }, [0, 0, 0, 0, 0]],
    ["an outage in the middle", { intervals: down }, [80, 0, 20, 0, 1]],
    ["a range that begins within an outage", { intervals: down, range: span(50, 100) }, [40, 0, 10, 0, 1]],
    ["a range that ends as an outage begins", { intervals: down, range: span(0, 40) }, [40, 0, 0, 0, 0]],
    ["a range that begins as an outage ends", { intervals: down, range: span(60, 100) }, [40, 0, 0, 0, 0]],
    ["an outage that lasts", { intervals: line([0, "up"], [90, "down"]) }, [90, 0, 10, 0, 1]],
    ["a range that is not over", { intervals: line([0, "up"]), now: 30 }, [30, 0, 0, 0, 0]],
    ["unknown time", { intervals: line([0, "up"], [10, "unknown"], [90, "up"]) }, [20, 0, 0, 0, 0]],
    ["paused and pending time", { intervals: line([0, "pending"], [50, "paused"]) }, [0, 0, 0, 0, 0]],
    [
      "an outage that was not seen for a while is one",
      { intervals: line([0, "down"], [10, "unknown"], [20, "down"], [30, "up"]) },
      [70, 0, 20, 0, 1],
    ],
    ["two outages", { intervals: line([0, "down"], [10, "up"], [20, "down"], [30, "up"]) }, [80, 0, 20, 0, 2]],
    ["degraded time is uptime", { intervals: line([0, "up"], [70, "degraded"]) }, [70, 30, 0, 0, 0]],
    [
      "degraded time is downtime where the policy says so",
      { intervals: line([0, "up"], [70, "degraded"], [80, "down"], [90, "up"]), rules: STRICT },
      [80, 10, 10, 0, 1],
    ],
    ["an outage inside maintenance", { intervals: down, maintenance: [span(30, 70)] }, [60, 0, 0, 40, 0]],
    ["an outage that outlasts maintenance", { intervals: down, maintenance: [span(30, 50)] }, [70, 0, 10, 20, 1]],
    ["an outage around maintenance", { intervals: down, maintenance: [span(45, 50)] }, [80, 0, 15, 5, 1]],
    ["windows that overlap", { intervals: down, maintenance: [span(10, 30), span(20, 40)] }, [50, 0, 20, 30, 1]],
    ["windows that touch", { intervals: down, maintenance: [span(20, 30), span(10, 20)] }, [60, 0, 20, 20, 1]],
    ["windows beyond the range", { intervals: down, maintenance: [span(-50, 10), span(90, 500)] }, [60, 0, 20, 20, 1]],
    ["a window in unknown time", { intervals: line([0, "unknown"]), maintenance: [span(0, 50)] }, [0, 0, 0, 0, 0]],
    [
      "maintenance that is counted",
      { intervals: down, maintenance: [span(30, 70)], rules: { ...PLAIN, exclude_maintenance: false } },
      [80, 0, 20, 40, 1],
    ],
  ])("counts %s", (_name, given, expected) => {
    expect(tallied(given)).toEqual(expected);
  });
});

describe("spanOfPeriod", () => {
  it.each([
    ["7d", "UTC", "2026-03-15T12:00:00Z", "2026-03-08T12:00:00Z"],
    ["30d", "UTC", "2026-03-15T12:00:00Z", "2026-02-13T12:00:00Z"],
    ["90d", "UTC", "2026-03-31T12:00:00Z", "2025-12-31T12:00:00Z"],
    ["month", "UTC", "2026-03-31T23:59:59Z", "2026-03-01T00:00:00Z"],
    ["month", "Pacific/Auckland", "2026-03-31T23:59:59Z", "2026-03-31T11:00:00Z"],
    ["month", "America/New_York", "2026-04-01T03:59:59Z", "2026-03-01T05:00:00Z"],
    ["month", "America/New_York", "2026-04-01T04:00:00Z", "2026-04-01T04:00:00Z"],
    ["month", "Europe/Berlin", "2026-10-31T12:00:00Z", "2026-09-30T22:00:00Z"],
    ["month", "Europe/Berlin", "2026-11-02T12:00:00Z", "2026-10-31T23:00:00Z"],
    ["quarter", "Europe/Berlin", "2026-06-30T21:59:59Z", "2026-03-31T22:00:00Z"],
    ["quarter", "Europe/Berlin", "2026-03-31T21:59:59Z", "2025-12-31T23:00:00Z"],
    ["year", "Asia/Kolkata", "2026-12-31T18:29:59Z", "2025-12-31T18:30:00Z"],
    ["year", "Asia/Kolkata", "2026-12-31T18:30:00Z", "2026-12-31T18:30:00Z"],
  ] as const)("lets %s in %s that ends %s begin %s", (period, timezone, now, from) => {
    expect(spanOfPeriod(period, timezone, Date.parse(now))).toEqual({
      from_at: Date.parse(from),
      to_at: Date.parse(now),
    });
  });
});

describe("evaluateSla", () => {
  const ms = (up: number, down: number, degraded = 0) => ({
    up,
    down,
    degraded,
    maintenance: 0,
    outages: down > 0 ? 1 : 0,
  });

  it.each([
    ["exactly the target is met", ms(999_000, 1000), 99.9, true, 1000],
    ["one millisecond more is not", ms(998_999, 1001), 99.9, false, 1000],
    ["a target of 100 allows nothing", ms(1_000_000, 0), 100, true, 0],
    ["a target of 100 is missed by a millisecond", ms(999_999, 1), 100, false, 0],
    ["a target of 0 is always met", ms(0, 1000), 0, true, 1000],
    ["four decimals count", ms(999_999, 1), 99.9999, true, 1],
    ["nothing counted meets nothing", ms(0, 0), 99.9, null, 0],
  ])("%s", (_name, tally, target, meets_target, error_budget_ms) => {
    expect(evaluateSla(tally, target, PLAIN)).toMatchObject({ meets_target, error_budget_ms });
  });

  it("stays exact for a year of a thousand monitors", () => {
    const year = 366 * 86_400_000 * 1000;
    const result = evaluateSla(ms(year - 31_622_400_001, 31_622_400_001), 99.9, PLAIN);
    expect(result).toMatchObject({ meets_target: false, error_budget_ms: 31_622_400_000 });
    expect(result.uptime_percentage).toBe(99.899);
  });

  it("gives mean times by outage, and none without one", () => {
    const tally = { up: 900, degraded: 0, down: 100, maintenance: 0, outages: 4 };
    expect(evaluateSla(tally, 99, PLAIN)).toMatchObject({ mttr_ms: 25, mtbf_ms: 225 });
    expect(evaluateSla(ms(5, 0), 99, PLAIN)).toMatchObject({ mttr_ms: null, mtbf_ms: null, uptime_percentage: 100 });
  });

  it("counts degraded time once, as uptime or as downtime", () => {
    expect(evaluateSla(ms(50, 0, 50), 99, PLAIN)).toMatchObject({
      downtime_ms: 0,
      degraded_ms: 50,
      uptime_percentage: 100,
    });
    expect(evaluateSla(ms(50, 0, 50), 99, STRICT)).toMatchObject({
      downtime_ms: 50,
      degraded_ms: 50,
      uptime_percentage: 50,
    });
  });
});

describe("against a timeline that is gone through second by second", () => {
  const LENGTH = 60;
  const at = fc.integer({ min: -5, max: LENGTH + 5 });
  const spans = fc.array(fc.tuple(at, at), { maxLength: 4 });
  const scene = fc.record({
    statuses: fc.array(fc.constantFrom(...MONITOR_STATUSES), { minLength: 0, maxLength: 12 }),
    lengths: fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 12, maxLength: 12 }),
    begin: fc.integer({ min: 0, max: 20 }),
    windows: spans,
    range: fc.tuple(at, at),
    now: fc.integer({ min: 0, max: LENGTH }),
    rules: fc.record({ exclude_maintenance: fc.boolean(), degraded_counts_as_downtime: fc.boolean() }),
  });

  it("counts every second once, in 20,000 timelines", () => {
    fc.assert(
      fc.property(scene, ({ statuses, lengths, begin, windows, range: [from, to], now, rules }) => {
        let start = begin;
        const stretches = statuses.map((status, n): [number, MonitorStatus] => {
          const stretch: [number, MonitorStatus] = [start, status];
          start += lengths[n] ?? 1;
          return stretch;
        });
        const expected = [0, 0, 0, 0, 0];
        let isOut = false;
        for (let second = from; second < Math.min(to, now); second++) {
          const status = stretches.findLast(([since]) => since <= second)?.[1];
          const place = ["up", "degraded", "down"].indexOf(status ?? "");
          if (place < 0) continue;
          const isInside = windows.some(([a, b]) => a <= second && second < b);
          if (isInside) expected[3] = (expected[3] ?? 0) + 1;
          if (isInside && rules.exclude_maintenance) continue;
          expected[place] = (expected[place] ?? 0) + 1;
          const isBad = status === "down" || (status === "degraded" && rules.degraded_counts_as_downtime);
          if (isBad && !isOut) expected[4] = (expected[4] ?? 0) + 1;
          isOut = isBad;
        }
        const maintenance = windows.map(([a, b]) => span(a, b));
        const given = { intervals: line(...stretches), maintenance, range: span(from, to), now, rules };
        expect(tallied(given)).toEqual(expected);
      }),
      { numRuns: 20_000 },
    );
  }, 60_000);

  it("meets the target exactly where the downtime fits into the budget", () => {
    fc.assert(
      fc.property(fc.nat(1e9), fc.nat(1e9), fc.integer({ min: 0, max: 1_000_000 }), (up, down, parts) => {
        const { meets_target } = evaluateSla(
          { up, down, degraded: 0, maintenance: 0, outages: 1 },
          parts / 10_000,
          PLAIN,
        );
        const isMet = BigInt(up) * 1_000_000n >= BigInt(up + down) * BigInt(parts);
        expect(meets_target).toBe(up + down === 0 ? null : isMet);
      }),
      { numRuns: 20_000 },
    );
  }, 60_000);

  it("sums what its parts say", () => {
    const one = { up: 1, degraded: 2, down: 3, maintenance: 4, outages: 5 };
    expect(sumSlaTallies([one, one])).toEqual({ up: 2, degraded: 4, down: 6, maintenance: 8, outages: 10 });
    expect(mergeSpans([span(5, 5), span(7, 3)])).toEqual([]);
  });
});

describe("compositeMaintenance", () => {
  const member = (intervals: StatusInterval[], ...maintenance: Span[]) => ({ intervals, maintenance });
  const down = line([0, "up"], [40, "down"], [60, "up"]);
  const late = line([0, "up"], [50, "down"], [70, "up"]);

  it.each<[name: string, members: ReturnType<typeof member>[], spans: Span[]]>([
    ["no member", [], []],
    ["a member in its window", [member(down, span(30, 90)), member(line([0, "up"]))], [span(40, 60)]],
    ["a member that was down before its window", [member(down, span(50, 90))], [span(50, 60)]],
    ["a member without a window", [member(down)], []],
    ["another one that fails on its own", [member(down, span(30, 90)), member(late)], [span(40, 50)]],
    ["two in windows of their own", [member(down, span(30, 90)), member(late, span(30, 90))], [span(40, 70)]],
    ["one that is down still", [member(line([0, "up"], [90, "down"]), span(80, 100))], [span(90, 100)]],
    ["a healthy member in a window", [member(line([0, "up"]), span(0, 100))], []],
  ])("%s", (_name, members, spans) => {
    expect(compositeMaintenance(members, 100 * SECOND)).toEqual(spans);
  });
});

describe("splitIntoSteps", () => {
  const day = (text: string) => Date.parse(text);
  it("gives the days of the zone, the first and last cut off by the range", () => {
    const range = { from_at: day("2026-03-27T12:00:00Z"), to_at: day("2026-03-30T06:00:00Z") };
    const steps = splitIntoSteps(range, "Europe/Berlin");
    expect(steps.map(({ from_at, to_at }) => [new Date(from_at).toISOString(), (to_at - from_at) / 3_600_000])).toEqual(
      [
        ["2026-03-27T12:00:00.000Z", 11],
        ["2026-03-27T23:00:00.000Z", 24],
        // The clocks go forward.
        ["2026-03-28T23:00:00.000Z", 23],
        ["2026-03-29T22:00:00.000Z", 8],
      ],
    );
  });

  it("touches three days within twenty-four hours, where one of them is shorter", () => {
    const range = { from_at: day("2026-03-28T22:30:00Z"), to_at: day("2026-03-29T22:30:00Z") };
    const steps = splitIntoSteps(range, "Europe/Berlin");
    expect(steps.map(({ from_at, to_at }) => (to_at - from_at) / 60_000)).toEqual([30, 23 * 60, 30]);
  });

  it("adjoin, cover the range and stay few, however long it is", () => {
    const ends = fc.tuple(fc.integer({ min: 0, max: 2_000_000_000 }), fc.integer({ min: 1, max: 400 * 86_400 }));
    fc.assert(
      fc.property(ends, fc.constantFrom("UTC", "Europe/Berlin", "America/St_Johns"), ([from, length], timezone) => {
        const range = span(from, from + length);
        const steps = splitIntoSteps(range, timezone);
        expect([steps[0]?.from_at, steps.at(-1)?.to_at]).toEqual([range.from_at, range.to_at]);
        for (const [n, { from_at, to_at }] of steps.entries()) {
          expect(to_at).toBeGreaterThan(from_at);
          if (n > 0) expect(from_at).toBe(steps[n - 1]?.to_at);
        }
        expect(steps.length).toBeLessThanOrEqual(94);
      }),
      { numRuns: 500 },
    );
  });
});

describe("tallySteps", () => {
  it("sums up to the tally of the whole, but for outages that go on over a step's end", () => {
    const stretch = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.constantFrom(...MONITOR_STATUSES));
    fc.assert(
      fc.property(
        fc.array(stretch, { minLength: 1, maxLength: 20 }),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 1, max: 50 })), { maxLength: 5 }),
        (stretches, windows) => {
          let at = 0;
          const intervals = line(
            ...stretches.map(([length, status]): [number, MonitorStatus] => {
              at += length;
              return [at - length, status];
            }),
          );
          const maintenance = windows.map(([from, length]) => span(from, from + length));
          const around = { maintenance, now: 250 * SECOND, rules: PLAIN };
          const steps = Array.from({ length: 20 }, (_, n) => span(n * 15, n * 15 + 15));
          const { outages: _, ...whole } = tallySla(intervals, { ...around, range: span(0, 300) });
          expect(sumSlaTallies(tallySteps(intervals, { ...around, steps }))).toMatchObject(whole);
        },
      ),
    );
  });
});
