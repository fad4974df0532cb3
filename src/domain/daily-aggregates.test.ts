import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MONITOR_STATUSES } from "../contract/monitor-values.ts";
import { listDaysUntil } from "../lib/zoned-days.ts";
import {
  AGGREGATE_AFTER_MS,
  type AggregatedMonth,
  type DayRun,
  findUnaggregatedFrom,
  listMissingDays,
  packDays,
  rememberedCalendar,
  tallyDays,
  unpackDays,
} from "./daily-aggregates.ts";
import { type CoveredDurations, computeCoveredDurations, countDurations, type StatusInterval } from "./uptime.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const at = (text: string) => Date.parse(text);
const aggregated = (month: string, to_at: string, timezone = "UTC"): AggregatedMonth => ({
  month,
  timezone,
  to_at: at(to_at),
});

describe("days that are still to be aggregated", () => {
  const now = at("2026-11-21T12:00:00Z");
  const november = ["2026-11: 18 days after 0, to 2026-11-19T00:00"];
  it.each<[string, { from: string; timezone?: string; rows?: AggregatedMonth[] }, string[]]>([
    ["are all those that have been over for two days", { from: "2026-11-01" }, november],
    ["begin with the first of the month, whenever the monitor did", { from: "2026-11-20T09:00:00Z" }, november],
    [
      "are told month by month",
      { from: "2026-10-31T23:00:00Z" },
      ["2026-10: 31 days after 0, to 2026-11-01T00:00", ...november],
    ],
    [
      "follow what is there",
      { from: "2026-11-01", rows: [aggregated("2026-11", "2026-11-18")] },
      ["2026-11: 1 days after 17, to 2026-11-19T00:00"],
    ],
    [
      "fill a month that is missing between others",
      { from: "2026-09-01", rows: [aggregated("2026-09", "2026-10-01"), aggregated("2026-11", "2026-11-19")] },
      ["2026-10: 31 days after 0, to 2026-11-01T00:00"],
    ],
    ["are none where all are there", { from: "2026-11-01", rows: [aggregated("2026-11", "2026-11-19")] }, []],
    [
      "take a month of another zone for none",
      { from: "2026-11-01", rows: [aggregated("2026-11", "2026-11-19", "Asia/Tokyo")] },
      november,
    ],
    [
      "are those of the zone",
      { from: "2026-11-01T12:00:00Z", timezone: "America/New_York" },
      ["2026-11: 18 days after 0, to 2026-11-19T05:00"],
    ],
    ["are none of a month that has just begun", { from: "2026-12-01" }, []],
  ])("%s", (_name, { from, timezone = "UTC", rows = [] }, expected) => {
    const missing = listMissingDays({ from_at: at(from), timezone, aggregated: rows, now }, rememberedCalendar());
    const told = missing.map(({ month, kept, days }) => {
      const end = new Date(days.at(-1)?.to_at ?? 0).toISOString().slice(0, 16);
      return `${month}: ${days.length} days after ${kept}, to ${end}`;
    });
    expect(told).toEqual(expected);
  });
});

describe("a packed month", () => {
  it.each<[string, CoveredDurations[], DayRun[]]>([
    ["is nothing without days", [], []],
    ["is one run where nothing happened", Array.from({ length: 3 }, () => [9]), [[3, 9]]],
    ["tells unknown days from days that were down", [[], [0, 0, 4], []], [[1], [1, 0, 0, 4], [1]]],
    [
      "keeps zeros before what is not zero",
      [[0, 5], [5]],
      [
        [1, 0, 5],
        [1, 5],
      ],
    ],
  ])("%s", (_name, days, packed) => {
    expect(packDays(days)).toEqual(packed);
    expect(unpackDays(packed)).toEqual(days);
  });
});

/** Zones whose clocks change in the north, in the south, at midnight, by half an hour, and for Ramadan. */
const ZONES = [
  ...["UTC", "Europe/Berlin", "America/New_York", "America/Santiago", "Asia/Beirut"],
  ...["Australia/Lord_Howe", "Africa/Casablanca", "Pacific/Chatham", "Pacific/Kiritimati"],
];

describe("days read through daily aggregates", () => {
  it("are what the intervals alone say, with any days aggregated and in any zone", () => {
    const timeline = fc.record({
      now: fc.integer({ min: at("2025-01-01"), max: at("2027-12-31") }),
      timezone: fc.constantFrom(...ZONES),
      changes: fc.array(fc.tuple(fc.integer({ min: 1, max: 100 * DAY }), fc.constantFrom(...MONITOR_STATUSES)), {
        minLength: 1,
        maxLength: 60,
      }),
      /** Months, counted from the oldest, whose daily aggregate was dropped. */
      dropped: fc.array(fc.nat(4), { maxLength: 2 }),
      /** How long ago the sweep was there. */
      swept: fc.integer({ min: 0, max: 10 * DAY }),
    });
    const property = fc.property(timeline, ({ now, timezone, changes, dropped, swept }) => {
      const sorted = changes.toSorted(([a], [b]) => b - a);
      const intervals = sorted.map(([ago, status], n): StatusInterval => {
        const next = sorted[n + 1];
        return { status, from_at: now - ago, to_at: next ? now - next[0] : null };
      });
      const created_at = intervals[0]?.from_at ?? now;
      const aggregatedAt = now - swept;
      // Of two days, one public and one private, and of the night between them.
      const maintenance = [
        { from_at: now - 40 * 24 * HOUR, to_at: now - 39 * 24 * HOUR, is_public: true },
        { from_at: now - 39.5 * 24 * HOUR, to_at: now - 38 * 24 * HOUR, is_public: false },
      ];
      const wanted = { from_at: created_at, timezone, aggregated: [], now: aggregatedAt };
      const aggregates = new Map(
        listMissingDays(wanted, rememberedCalendar())
          .filter((_, n) => !dropped.includes(n))
          .map(({ month, days }) => {
            const packed = packDays(computeCoveredDurations(intervals, days, { maintenance, now: aggregatedAt }));
            return [month, unpackDays(packed)];
          }),
      );
      const days = listDaysUntil(now, timezone, 90);
      const since = findUnaggregatedFrom(days, aggregates, created_at);
      const holding = intervals.findLastIndex(({ from_at }) => from_at <= since);
      const read = { aggregates, intervals: intervals.slice(Math.max(0, holding)), maintenance };
      const counted = (tallies: CoveredDurations[]) =>
        tallies.map((each) => countDurations(each, { is_excluded: true }));
      expect(counted(tallyDays(days, read, now))).toEqual(
        counted(computeCoveredDurations(intervals, days, { maintenance, now })),
      );
      if (dropped.length === 0) expect(since).toBeGreaterThan(aggregatedAt - AGGREGATE_AFTER_MS - 26 * HOUR);
    });
    fc.assert(property, { numRuns: 60 });
  }, 30_000);
});
