import { describe, expect, it } from "vitest";
import { addNumbers, MetricBuckets, type MetricSummaries, mergeTallies, numericMetrics } from "./metric-series.ts";

describe("the numbers of a sample", () => {
  it("are its numbers and flags; what the sender calls like a field of ours does not replace it", () => {
    const numbers = numericMetrics({
      fields: { latency_ms: 12, is_error: false, method: "GET" },
      metrics: { latency_ms: 99, queue: 3, note: "x", tags: [1], ready: true, empty: null },
    });
    expect(Object.fromEntries(numbers)).toEqual({ latency_ms: 12, is_error: 0, queue: 3, ready: 1 });
  });
});

describe("tallies", () => {
  const tally = (...values: number[]) => {
    const tallies: MetricSummaries = new Map();
    for (const value of values) addNumbers(tallies, new Map([["a", value]]));
    return tallies;
  };

  it("count, add up and keep the smallest and the largest", () => {
    expect(tally(3, -1, 4).get("a")).toEqual([3, 6, -1, 4]);
  });

  it("merge to what one tally of all would be", () => {
    const merged = tally(3, -1);
    mergeTallies(merged, tally(4, 10));
    expect(merged).toEqual(tally(3, -1, 4, 10));
  });

  it("remember two hundred names and go on counting those", () => {
    const tallies: MetricSummaries = new Map();
    for (let n = 0; n < 300; n++) addNumbers(tallies, new Map([[`m${n}`, 1]]));
    addNumbers(tallies, new Map([["m0", 5]]));
    expect(tallies.size).toBe(200);
    expect(tallies.get("m0")).toEqual([2, 6, 1, 5]);
  });
});

describe("steps", () => {
  it("begin at multiples of their length and are listed in order", () => {
    const steps = new MetricBuckets(10);
    for (const instant of [29, 10, 20, 19, 9]) addNumbers(steps.at(instant), new Map([["a", instant]]));
    expect(steps.list().map(([start, tallies]) => [start, tallies.get("a")?.[0]])).toEqual([
      [0, 1],
      [10, 2],
      [20, 2],
    ]);
  });
});
