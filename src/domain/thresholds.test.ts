import { describe, expect, it } from "vitest";
import type { MetricThreshold, Operator } from "../contract/push.ts";
import { compare, findCrossed } from "./thresholds.ts";

describe("comparing a metric", () => {
  const rows: [operators: Operator[], holds: [below: boolean, equal: boolean, above: boolean]][] = [
    [
      ["gt", ">"],
      [false, false, true],
    ],
    [
      ["gte", ">="],
      [false, true, true],
    ],
    [
      ["lt", "<"],
      [true, false, false],
    ],
    [
      ["lte", "<="],
      [true, true, false],
    ],
    [
      ["eq", "==", "="],
      [false, true, false],
    ],
    [
      ["neq", "!="],
      [true, false, true],
    ],
  ];
  it.each(rows)("by %j", (operators, holds) => {
    for (const operator of operators)
      expect([4.9, 5, 5.1].map((actual) => compare(operator, actual, 5))).toEqual(holds);
  });
});

describe("thresholds", () => {
  const slow: MetricThreshold = { metric: "latency_ms", operator: "gt", value: 500, status: "degraded" };
  const dead: MetricThreshold = { metric: "queue", operator: ">=", value: 100, status: "down" };
  const crossed = (numbers: Record<string, number>) =>
    findCrossed([slow, dead], new Map(Object.entries(numbers)))?.threshold ?? null;

  it.each<[string, Record<string, number>, MetricThreshold | null]>([
    ["nothing that is within all", { latency_ms: 500, queue: 99 }, null],
    ["the one that is crossed", { latency_ms: 501, queue: 99 }, slow],
    ["the worse of two", { latency_ms: 501, queue: 100 }, dead],
    ["nothing for a metric that was not measured", { other: 1e9 }, null],
  ])("find %s", (_name, numbers, found) => {
    expect(crossed(numbers)).toEqual(found);
  });
});
