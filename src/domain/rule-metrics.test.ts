import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MeasuredCheck } from "../contract/check.ts";
import {
  buildMetrics,
  CHECK_METRICS,
  computeLatencySigma,
  type MetricSources,
  openTimeline,
  replaceMetrics,
} from "./rule-metrics.ts";

const MINUTE = 60_000;
const NOW = 100 * 60 * MINUTE;
const check = (minutesAgo: number, fields: Partial<MeasuredCheck> = {}): MeasuredCheck => ({
  at: NOW - minutesAgo * MINUTE,
  outcome: "success",
  latency_ms: 100,
  status_code: 200,
  ...fields,
});
const failure = (minutesAgo: number) => check(minutesAgo, { outcome: "failure", latency_ms: null, status_code: 500 });

describe("metrics of checks", () => {
  const values = (sources: MetricSources) => {
    const snapshot = buildMetrics(sources, NOW);
    const entries = [...CHECK_METRICS, "heartbeat_age_seconds", "queue", "fps"].map((name) => [
      name,
      snapshot.values.get(name),
    ]);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  };

  it("are those of the newest check, with shares over their spans", () => {
    const checks = [failure(1), check(3, { latency_ms: 80 }), failure(0), check(6), check(24 * 60 - 1)];
    expect(values({ checks, usual_latency: () => ({ mean_ms: 50, stddev_ms: 10 }) })).toEqual({
      latency_ms: 80,
      latency_sigma: 3,
      status_code: 500,
      failure_count: 2,
      error_rate: 200 / 3,
      uptime_percentage: 60,
    });
  });

  it("leave out errors of the checker and what lies ahead", () => {
    const checks = [failure(2), check(1, { outcome: "error" }), failure(0), check(-1)];
    expect(values({ checks })).toMatchObject({ failure_count: 2, error_rate: 100 });
  });

  it.each([
    ["within 5 minutes", 4.99, { error_rate: 100 }],
    ["5 minutes ago", 5, {}],
  ])("have an error rate of checks %s", (_name, minutes, expected) => {
    const { error_rate } = values({ checks: [failure(minutes)] });
    expect(error_rate === undefined ? {} : { error_rate }).toEqual(expected);
  });

  it("count the age of a heartbeat up to now", () => {
    expect(values({ last_heartbeat_at: NOW - 1500 })).toEqual({ heartbeat_age_seconds: 1.5 });
    expect(values({ last_heartbeat_at: NOW + 1500 })).toEqual({ heartbeat_age_seconds: 0 });
    expect(values({ last_heartbeat_at: null })).toEqual({});
  });

  it("are joined by pushed numbers, of which a measured one takes precedence", () => {
    const pushed = [
      { at: NOW - 1, metrics: { queue: 5, latency_ms: 1 } as Record<string, number> },
      { at: NOW - 2, metrics: { queue: 9, fps: Number.NaN } as Record<string, number> },
    ];
    expect(values({ pushed, checks: [check(0)] })).toMatchObject({ queue: 5, latency_ms: 100 });
    expect(values({ pushed })).toEqual({ queue: 5, latency_ms: 1 });
  });

  it("are replaced by given numbers, over any window", () => {
    const measured = buildMetrics({ checks: [check(0)] }, NOW);
    const { values: replaced, points } = replaceMetrics(measured, { latency_ms: 7 }, NOW);
    expect([replaced.get("latency_ms"), points.get("latency_ms")]).toEqual([7, [{ at: NOW, value: 7 }]]);
    expect(replaced.get("status_code")).toBe(200);
  });
});

describe("a timeline", () => {
  const anyCheck = fc.record({
    at: fc.integer({ min: 0, max: 300 }).map((minutes) => minutes * MINUTE),
    outcome: fc.constantFrom("success", "slow", "failure", "failure", "error"),
    latency_ms: fc.option(fc.integer({ min: 0, max: 500 })),
    status_code: fc.option(fc.constantFrom(200, 503)),
  });
  const anyPush = fc.record({
    at: fc.integer({ min: 0, max: 300 }).map((minutes) => minutes * MINUTE),
    metrics: fc.dictionary(fc.constantFrom("queue", "latency_ms"), fc.integer({ min: 0, max: 9 })),
  });

  it("says at any instant what a snapshot of what lies within its reach says", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(anyCheck, { maxLength: 40, selector: ({ at }) => at }),
        fc.uniqueArray(anyPush, { maxLength: 10, selector: ({ at }) => at }),
        fc.integer({ min: 60, max: 180 }).map((minutes) => minutes * MINUTE),
        fc.integer({ min: 0, max: 300 }).map((minutes) => minutes * MINUTE),
        (checks, pushed, reachMs, now) => {
          const usual_latency = (at: number) => (at % (2 * MINUTE) === 0 ? null : { mean_ms: 100, stddev_ms: 7 });
          const isWithin = ({ at }: { at: number }) => at > now - reachMs && at <= now;
          const timeline = openTimeline({ checks, pushed, usual_latency }, reachMs)(now);
          const near = { checks: checks.filter(isWithin), pushed: pushed.filter(isWithin), usual_latency };
          const snapshot = buildMetrics(near, now);
          for (const name of [...CHECK_METRICS, "queue"]) {
            expect([name, timeline.points.get(name)]).toEqual([name, snapshot.points.get(name)]);
            if (name === "uptime_percentage") continue; // Its own span is longer than these reaches.
            expect([name, timeline.values.get(name)]).toEqual([name, snapshot.values.get(name)]);
          }
        },
      ),
    );
  });
});

describe("latency_sigma", () => {
  it.each([
    ["above the usual", 130, { mean_ms: 100, stddev_ms: 10 }, 3],
    ["below the usual", 90, { mean_ms: 100, stddev_ms: 10 }, -1],
    ["without a baseline", 130, null, null],
    ["where latency never varied", 130, { mean_ms: 100, stddev_ms: 0 }, null],
  ])("%s", (_name, latency, usual, sigma) => {
    expect(computeLatencySigma(latency, usual)).toBe(sigma);
  });
});
