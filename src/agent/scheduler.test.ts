import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AgentAssignment } from "../contract/agent.ts";
import type { CheckedResult } from "./buffer.ts";
import type { Checked } from "./checker.ts";
import { Scheduler } from "./scheduler.ts";

const START = Date.UTC(2026, 0, 1);

let statuses: (CheckedResult["status"] | "error")[];
let results: CheckedResult[];
let errors: [reason: string, isNew: boolean][];
let scheduler: Scheduler;

beforeEach(() => {
  vi.useFakeTimers({ now: START });
  statuses = [];
  results = [];
  errors = [];
  scheduler = new Scheduler({
    now: () => Date.now(),
    check: async ({ id }): Promise<Checked> => {
      const checked_at = Date.now();
      const status = statuses.shift() ?? "up";
      if (status === "error") return { ok: false, reason: "no such program" };
      return { ok: true, result: { monitor_id: id, status, checked_at, latency_ms: 1, message: "", details: {} } };
    },
    onResult: (_assignment, result) => results.push(result),
    onError: (_assignment, reason, isNew) => errors.push([reason, isNew]),
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const assignment = (id: string, changes: Partial<AgentAssignment> = {}): AgentAssignment => ({
  id,
  name: id,
  type: "tcp",
  target: "127.0.0.1:1",
  interval: 60,
  timeout_seconds: 10,
  retry_interval: 20,
  failure_threshold: 3,
  recovery_threshold: 2,
  latency_threshold_ms: null,
  options: {},
  config_version: 1,
  ...changes,
});
const secondsOf = (id: string) =>
  results.filter(({ monitor_id }) => monitor_id === id).map(({ checked_at }) => (checked_at - START) / 1000);

describe("the scheduler", () => {
  it("checks a new monitor at once, then once an interval at a phase of its own", async () => {
    scheduler.assign([assignment("a"), assignment("b")]);
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    for (const id of ["a", "b"]) {
      const [first = -1, second = 0, ...later] = secondsOf(id);
      expect(first).toBeLessThan(1);
      expect(second).toBeLessThanOrEqual(60);
      expect(later).toEqual(later.map((_, n) => second + 60 * (n + 1)));
      expect(later.length).toBeGreaterThanOrEqual(3);
    }
    expect(secondsOf("a")[1]).not.toBe(secondsOf("b")[1]);
  });

  it("spreads many monitors over the interval", async () => {
    scheduler.assign(Array.from({ length: 60 }, (_, n) => assignment(`monitor-${n}`)));
    await vi.advanceTimersByTimeAsync(60_000);
    results = [];
    await vi.advanceTimersByTimeAsync(60_000);
    expect(results.length).toBe(60);
    const perSecond = Object.values(Object.groupBy(results, ({ checked_at }) => Math.floor(checked_at / 1000)));
    expect(Math.max(...perSecond.map((all) => all?.length ?? 0))).toBeLessThanOrEqual(6);
  });

  it("repeats a failed check soon, until as many failed as bring the monitor down", async () => {
    statuses = ["down", "down", "down", "down"];
    scheduler.assign([assignment("a", { retry_interval: 5 })]);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(secondsOf("a")).toEqual([0, 5, 10]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(results.length).toBe(4);
  });

  it("counts as settled only what comes after the successes that a recovery needs", async () => {
    statuses = ["down", "up", "up", "up", "degraded", "up"];
    scheduler.assign([assignment("a", { failure_threshold: 1 })]);
    await vi.advanceTimersByTimeAsync(6 * 60_000);
    expect(results.slice(0, 6).map(({ is_settled }) => is_settled)).toEqual([false, false, false, true, false, false]);
  });

  it("checks a monitor at once when its settings changed, and no more when it is gone", async () => {
    scheduler.assign([assignment("a"), assignment("b")]);
    await vi.advanceTimersByTimeAsync(1000);
    scheduler.assign([assignment("a", { config_version: 2 })]);
    await vi.advanceTimersByTimeAsync(100);
    expect(secondsOf("a").length).toBe(2);
    await vi.advanceTimersByTimeAsync(180_000);
    expect(secondsOf("b").length).toBe(1);
  });

  it("keeps its rhythm when the same settings come again", async () => {
    scheduler.assign([assignment("a")]);
    await vi.advanceTimersByTimeAsync(1000);
    scheduler.assign([assignment("a")]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(results.length).toBe(1);
  });

  it("checks a location's monitor with the others, and moves with them", async () => {
    scheduler.assign([assignment("a", { slot_phase_ms: 7_000 })]);
    await vi.advanceTimersByTimeAsync(70_000);
    expect(secondsOf("a")).toEqual([0, 7, 67]);
    scheduler.assign([assignment("a", { slot_phase_ms: 12_000 })]);
    await vi.advanceTimersByTimeAsync(70_000);
    expect(secondsOf("a").slice(3)).toEqual([72, 132]);
  });

  it("runs one check of a monitor at a time, and shares it with a caller that wants one now", async () => {
    scheduler.assign([assignment("a")]);
    await vi.advanceTimersByTimeAsync(1000);
    results = [];
    await Promise.all([scheduler.checkNow("a"), scheduler.checkNow("a")]);
    expect(results.length).toBe(1);
    expect(scheduler.checkNow("unknown")).toBeUndefined();
  });

  it("never gives two results of a monitor the same time", async () => {
    scheduler.assign([assignment("a")]);
    await vi.advanceTimersByTimeAsync(0);
    await scheduler.checkNow("a");
    await scheduler.checkNow("a");
    const times = results.map(({ checked_at }) => checked_at);
    expect(new Set(times).size).toBe(times.length);
    expect(times.toSorted((a, b) => a - b)).toEqual(times);
  });

  it("makes no result of a check that was not possible, and says so once", async () => {
    statuses = ["error", "error", "up", "error"];
    scheduler.assign([assignment("a")]);
    await vi.advanceTimersByTimeAsync(4 * 60_000);
    expect(results.length).toBeGreaterThanOrEqual(1);
    expect(errors.slice(0, 3)).toEqual([
      ["no such program", true],
      ["no such program", false],
      ["no such program", true],
    ]);
  });

  it("waits for running checks when it stops, and begins none", async () => {
    scheduler.assign([assignment("a"), assignment("b")]);
    await vi.advanceTimersByTimeAsync(0);
    await scheduler.stop();
    const count = results.length;
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(results.length).toBe(count);
  });
});

describe("the rules of a monitor", () => {
  it("have it checked within its hours alone, but for who asks", async () => {
    const options = { hours: "00:00-00:10" };
    scheduler.assign([assignment("a", { options })]);
    await vi.advanceTimersByTimeAsync(60 * 60_000);
    expect(secondsOf("a").length).toBeGreaterThan(9);
    expect(secondsOf("a").filter((second) => second >= 600)).toEqual([]);
    await scheduler.checkNow("a");
    expect(secondsOf("a").filter((second) => second >= 600)).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(23 * 60 * 60_000 + 5 * 60_000);
    expect(secondsOf("a").filter((second) => second >= 86_400).length).toBeGreaterThan(3);
  });

  it("have it checked less often once it is down", async () => {
    statuses = Array.from({ length: 100 }, () => "down");
    scheduler.assign([assignment("a", { options: { interval_down: 600 }, failure_threshold: 1 })]);
    await vi.advanceTimersByTimeAsync(60 * 60_000);
    expect(secondsOf("a").length).toBeLessThanOrEqual(8);
    statuses = [];
    await vi.advanceTimersByTimeAsync(20 * 60_000);
    expect(secondsOf("a").length).toBeGreaterThan(15);
  });

  it("let the repetitions after a failure wait twice as long each", async () => {
    statuses = ["down", "down", "down", "up"];
    const options = { follow_retries: "backoff" };
    scheduler.assign([assignment("a", { options, interval: 600, failure_threshold: 4 })]);
    await vi.advanceTimersByTimeAsync(150_000);
    const [first = 0, ...later] = secondsOf("a");
    expect(later.map((second) => second - first)).toEqual([20, 60, 140]);
  });
});
