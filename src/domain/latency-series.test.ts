import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "../lib/durations.ts";
import { tallyOf } from "./baseline.ts";
import { buildLatencySeries, latencyRange } from "./latency-series.ts";

const NOW = Date.parse("2026-05-04T10:20:30Z");
const at = (text: string) => Date.parse(`2026-${text}Z`);

describe("the range of a latency series", () => {
  it.each([
    ["24h", undefined, "05-03T10:30:00", 900],
    ["24h", HOUR_MS, "05-03T11:00:00", 3600],
    ["7d", HOUR_MS, "04-27T11:00:00", 3600],
    ["30d", undefined, "04-04T12:00:00", 21_600],
    ["90d", undefined, "02-04T00:00:00", 86_400],
  ] as const)("of %s ends with the present step and has whole steps", (period, finest, from, seconds) => {
    const range = latencyRange(period, NOW, finest);
    expect(range).toEqual({ from: at(from), step_ms: seconds * 1000 });
  });
});

describe("a latency series", () => {
  it("has a point for each step with samples, oldest first, in any order and number", () => {
    const day = at("05-01T00:00:00");
    const steps = [
      { at: day + 7 * HOUR_MS, tally: tallyOf([300]) },
      { at: day, tally: tallyOf([10, 20]) },
      { at: day + 6 * HOUR_MS, tally: tallyOf([100, 100, 500]) },
      { at: day + 12 * HOUR_MS, tally: tallyOf([]) },
      { at: day - DAY_MS, tally: tallyOf([1]) },
    ];
    const points = buildLatencySeries(steps, { from: day, step_ms: 6 * HOUR_MS });
    expect(points).toEqual([
      { at: day, p50_ms: 10, p95_ms: 20, max_ms: 20, checks: 2, phases: null },
      { at: day + 6 * HOUR_MS, p50_ms: expect.any(Number), p95_ms: 500, max_ms: 500, checks: 4, phases: null },
    ]);
    expect(Math.abs((points[1]?.p50_ms ?? 0) - 100)).toBeLessThanOrEqual(6);
  });
});
