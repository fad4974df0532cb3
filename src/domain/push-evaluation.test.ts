import { describe, expect, it } from "vitest";
import type { MetricSample } from "../contract/push.ts";
import { INITIAL_PUSH_STATE, type MetricsRules } from "./push-deadline.ts";
import { evaluatePush } from "./push-evaluation.ts";

const RULES: MetricsRules = {
  kind: "api",
  stale_ms: 60_000,
  thresholds: [{ metric: "queue", operator: ">", value: 9, status: "down" }],
  latency_threshold_ms: 500,
};
const NOW = 1_000_000;
const sample = (change: Partial<MetricSample> = {}): MetricSample => ({ at: null, fields: {}, metrics: {}, ...change });
const read = (...samples: MetricSample[]) => evaluatePush({ samples }, INITIAL_PUSH_STATE, RULES, NOW).results;

describe("samples", () => {
  it.each<[name: string, sample: MetricSample, outcome: string]>([
    ["that say nothing are a sign of life", sample(), "success"],
    ["as slow as is allowed are a success", sample({ fields: { latency_ms: 500 } }), "success"],
    ["that are slower are slow", sample({ fields: { latency_ms: 500.1 } }), "slow"],
    ["with an error are a failure", sample({ fields: { is_error: true } }), "failure"],
    ["without an error are none", sample({ fields: { is_error: false } }), "success"],
    ["that cross a threshold are what it says", sample({ metrics: { queue: 10 } }), "failure"],
    ["whose metric is text cross no threshold", sample({ metrics: { queue: "10" } }), "success"],
  ])("%s", (_name, given, outcome) => {
    expect(read(given)[0]?.outcome).toBe(outcome);
  });

  it("are read in the order of their times, and those of the same millisecond all count", () => {
    const slots = read(sample(), sample({ at: NOW - 5 }), sample(), sample({ at: NOW - 9 })).map(
      (each) => each.slot_at,
    );
    expect(slots).toEqual([NOW - 9, NOW - 5, NOW, NOW + 1]);
  });

  it("of a time to come count as of now, each of them", () => {
    const results = read(sample({ at: NOW + 5 }), sample({ at: NOW + 5 }));
    expect(results.map(({ slot_at, checked_at }) => [slot_at, checked_at])).toEqual([
      [NOW, NOW],
      [NOW + 1, NOW],
    ]);
  });
});
