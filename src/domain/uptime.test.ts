import { describe, expect, it } from "vitest";
import {
  computeStatusDurations,
  computeUptimePercentage,
  type StatusDurations,
  type StatusInterval,
  sumStatusDurations,
} from "./uptime.ts";

const DAYS = [
  { from_at: 0, to_at: 100 },
  { from_at: 100, to_at: 200 },
  { from_at: 200, to_at: 300 },
];
const NONE: StatusDurations = { up: 0, degraded: 0, down: 0, maintenance: 0 };
const plain = (now: number) => ({ maintenance: [], is_excluded: true, now });

/** "up 0-50, down 50-" */
function readIntervals(text: string): StatusInterval[] {
  return text.split(", ").map((part) => {
    const [, status = "", from_at = "", to_at = ""] = /^(\w+) (\d+)-(\d*)$/.exec(part) ?? [];
    return {
      status: status as StatusInterval["status"],
      from_at: Number(from_at),
      to_at: to_at ? Number(to_at) : null,
    };
  });
}

describe("time by status", () => {
  it.each<[name: string, intervals: string, now: number, expected: Partial<StatusDurations>[]]>([
    ["parts at the end of a day", "up 50-150", 300, [{ up: 50 }, { up: 50 }, {}]],
    [
      "gives an instant between two intervals to the later one",
      "up 0-100, down 100-200",
      300,
      [{ up: 100 }, { down: 100 }, {}],
    ],
    ["spans whole days", "up 0-300", 300, [{ up: 100 }, { up: 100 }, { up: 100 }]],
    ["ends an open interval now", "up 0-", 250, [{ up: 100 }, { up: 100 }, { up: 50 }]],
    ["counts nothing of the future", "up 0-300", 120, [{ up: 100 }, { up: 20 }, {}]],
    [
      "counts degraded apart",
      "up 0-20, degraded 20-40, down 40-45, up 45-100",
      300,
      [{ up: 75, degraded: 20, down: 5 }, {}, {}],
    ],
    [
      "counts unknown, pending and paused nowhere",
      "pending 0-10, unknown 10-90, paused 90-110, up 110-120",
      300,
      [{}, { up: 10 }, {}],
    ],
    ["ends an interval where the next begins", "up 0-, down 150-", 200, [{ up: 100 }, { up: 50, down: 50 }, {}]],
    [
      "takes several intervals on one day",
      "down 110-120, up 120-130, down 130-140",
      300,
      [{}, { up: 10, down: 20 }, {}],
    ],
    ["ignores an interval without length", "down 100-100, up 100-150", 300, [{}, { up: 50 }, {}]],
    ["ignores what lies after the last day", "up 250-900", 900, [{}, {}, { up: 50 }]],
  ])("%s", (_name, intervals, now, expected) => {
    expect(computeStatusDurations(readIntervals(intervals), DAYS, plain(now))).toEqual(
      expected.map((tally) => ({ ...NONE, ...tally })),
    );
  });

  it("is clipped to the first day where it began before", () => {
    const intervals: StatusInterval[] = [{ status: "up", from_at: -500, to_at: 30 }];
    expect(computeStatusDurations(intervals, DAYS, plain(300))[0]).toEqual({ ...NONE, up: 30 });
  });

  it("adds up over days", () => {
    expect(
      sumStatusDurations([
        { up: 1, degraded: 2, down: 3, maintenance: 4 },
        { up: 10, degraded: 20, down: 30, maintenance: 40 },
      ]),
    ).toEqual({
      up: 11,
      degraded: 22,
      down: 33,
      maintenance: 44,
    });
  });
});

describe("time in maintenance", () => {
  const windows = [
    { from_at: 20, to_at: 60, is_public: true },
    { from_at: 50, to_at: 120, is_public: false },
  ];
  const intervals = readIntervals("up 0-30, down 30-110, unknown 110-115, up 115-300");
  const count = (rule: { is_excluded: boolean; hides_private?: boolean }) =>
    computeStatusDurations(intervals, DAYS, { maintenance: windows, now: 300, ...rule });

  it("is neither up nor down, and unknown stays unknown in it", () => {
    expect(count({ is_excluded: true })).toEqual([
      { ...NONE, up: 20, maintenance: 80 },
      { ...NONE, up: 80, maintenance: 15 },
      { ...NONE, up: 100 },
    ]);
  });

  it("is not there at all for visitors where it is private", () => {
    expect(count({ is_excluded: true, hides_private: true })).toEqual([
      { ...NONE, up: 20, maintenance: 40 },
      { ...NONE, up: 80 },
      { ...NONE, up: 100 },
    ]);
  });

  it("counts like any other time where the policy says so", () => {
    expect(count({ is_excluded: false })).toEqual([
      { ...NONE, up: 30, down: 70 },
      { ...NONE, up: 85, down: 10 },
      { ...NONE, up: 100 },
    ]);
  });
});

describe("uptime in percent", () => {
  it.each<[name: string, tally: Partial<StatusDurations>, expected: number | null]>([
    ["is null where nothing is known", {}, null],
    ["is 100 without downtime", { up: 1 }, 100],
    ["counts degraded as up", { degraded: 50, up: 50 }, 100],
    ["is 0 with nothing but downtime", { down: 1 }, 0],
    ["is the share of the known time", { up: 75, down: 25 }, 75],
    ["is below 100 with the least downtime", { up: 90 * 86_400_000, down: 1 }, 99.999],
    ["has three decimals, rounded down", { up: 2, down: 1 }, 66.666],
  ])("%s", (_name, tally, expected) => {
    expect(computeUptimePercentage({ ...NONE, ...tally })).toBe(expected);
  });
});
