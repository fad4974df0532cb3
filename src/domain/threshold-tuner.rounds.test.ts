import { expect, it } from "vitest";
import { buildRounds, type RegionCheck } from "./threshold-tuner.ts";

const check = (at: number, region: string, outcome: RegionCheck["outcome"], latency_ms: number | null = 10) => ({
  at,
  region,
  outcome,
  latency_ms,
});

it("joins the regions of a round and applies the policy of the monitor", () => {
  const checks = [
    ...[check(0, "weur", "failure", null), check(5, "enam", "success", 20), check(9, "apac", "success", 40)],
    ...[check(60, "weur", "failure", null), check(61, "enam", "failure", null), check(62, "apac", "success", 40)],
  ];
  expect(buildRounds(checks.toReversed(), "majority")).toEqual([
    { at: 0, has_failed: false, latency_ms: 30 },
    { at: 60, has_failed: true, latency_ms: 40 },
  ]);
  expect(buildRounds(checks, "any").map(({ has_failed }) => has_failed)).toEqual([true, true]);
  expect(buildRounds(checks, "all").map(({ has_failed }) => has_failed)).toEqual([false, false]);
});

it("leaves out rounds that measured nothing", () => {
  expect(buildRounds([check(0, "default", "error", null), check(60, "default", "success")], "majority")).toEqual([
    { at: 60, has_failed: false, latency_ms: 10 },
  ]);
});
