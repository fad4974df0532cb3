import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  checkGroupId,
  delayedAfterMs,
  findDelayedSince,
  phaseOf,
  retryDelayMs,
  retryIntervalMs,
  slotBefore,
  slotsWithin,
  staleAfterMs,
} from "./check-schedule.ts";

const MINUTE = 60_000;
const group = (interval: number) => checkGroupId({ shard_id: "s1", interval, regions: ["weur"], lane: "normal" });

describe("slots of a check group", () => {
  it("cover consecutive minutes without a gap or a repeat, for every interval", () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 86_400 }), fc.integer({ min: 0, max: 2e9 }), (interval, minute) => {
        const start = minute * MINUTE;
        const slots = [0, 1, 2, 3].flatMap((n) =>
          slotsWithin(group(interval), interval * 1000, start + n * MINUTE, start + (n + 1) * MINUTE),
        );
        expect(slots).toEqual(slotsWithin(group(interval), interval * 1000, start, start + 4 * MINUTE));
        slots.slice(1).forEach((slot, n) => {
          expect(slot - (slots[n] ?? 0)).toBe(interval * 1000);
        });
      }),
    );
  });

  it("include one that lies exactly at the start and exclude one at the end", () => {
    const id = group(60);
    const slot = slotBefore(id, MINUTE, 10 * MINUTE);
    expect(slotsWithin(id, MINUTE, slot, slot + MINUTE)).toEqual([slot]);
    expect(slotBefore(id, MINUTE, slot)).toBe(slot);
    expect(slotBefore(id, MINUTE, slot - 1)).toBe(slot - MINUTE);
  });

  it("are spread over the interval, so that groups do not fire together", () => {
    const phases = new Set(
      Array.from({ length: 200 }, (_, n) =>
        phaseOf(checkGroupId({ shard_id: `${n}`, interval: 60, regions: [], lane: "normal" }), MINUTE),
      ),
    );
    expect(phases.size).toBeGreaterThan(40);
  });
});

it.each([
  [10, 180_000],
  [60, 180_000],
  [61, 183_000],
  [3600, 10_800_000],
])("a result of a monitor with an interval of %i s speaks for %i ms", (interval, expected) => {
  expect(staleAfterMs(interval)).toBe(expected);
});

it.each([
  [10, null, 10_000],
  [60, null, 20_000],
  [60, 5, 5_000],
])("a failed check with an interval of %i s and retry_interval %s is repeated after %i ms", (interval, retry, expected) => {
  expect(retryIntervalMs(interval, retry)).toBe(expected);
});

describe("lateness", () => {
  it.each([
    [10, 180_000],
    [75, 180_000],
    [76, 182_000],
    [3600, 7_230_000],
  ])("of checks every %i s begins after %i ms", (interval, after) => {
    expect(delayedAfterMs(interval, 180_000)).toBe(after);
  });

  it.each([
    ["never ticked", { last_tick_at: null, late_since: null }, null],
    ["just in time", { last_tick_at: 820_000, late_since: null }, null],
    ["too old a tick", { last_tick_at: 819_999, late_since: null }, 819_999],
    ["late checks", { last_tick_at: 990_000, late_since: 700_000 }, 700_000],
    ["both", { last_tick_at: 600_000, late_since: 500_000 }, 500_000],
  ])("is since when the last checks ran: %s", (_name, known, since) => {
    expect(findDelayedSince(known, 1_000_000, 180_000)).toBe(since);
  });
});

describe("the repetitions after a failure", () => {
  const schedule = { interval_ms: 60_000, retry_interval_ms: 20_000 };

  it.each([
    ["follow evenly", schedule, [20_000, 20_000, 20_000]],
    ["wait twice as long each, up to the interval", { ...schedule, is_backoff: true }, [20_000, 40_000, 60_000]],
    [
      "never come sooner than retry_interval",
      { interval_ms: 10_000, retry_interval_ms: 20_000, is_backoff: true },
      [20_000, 20_000, 20_000],
    ],
  ])("%s", (_name, given, delays) => {
    expect([0, 1, 2].map((attempt) => retryDelayMs(given, attempt))).toEqual(delays);
  });
});
