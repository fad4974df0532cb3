import { describe, expect, it } from "vitest";
import type { MonitorStatus } from "../contract/monitor-values.ts";
import {
  type Deadline,
  findDeadline,
  findNextDue,
  type HeartbeatRules,
  INITIAL_PUSH_STATE,
  type MetricsRules,
  type PushRules,
  type PushState,
  restartDeadlines,
} from "./push-deadline.ts";

const MINUTE = 60_000;
const HEARTBEAT: HeartbeatRules = {
  kind: "heartbeat",
  every: MINUTE,
  grace_ms: 6_000,
  degraded_after_ms: null,
  latency_threshold_ms: null,
};
const METRICS: MetricsRules = { kind: "api", stale_ms: MINUTE, thresholds: [], latency_threshold_ms: null };
/** Every full hour. */
const hourly = { schedule: "0 * * * *", timezone: "UTC" };
const nextHour = (_cron: unknown, after: number) => (Math.floor(after / (60 * MINUTE)) + 1) * 60 * MINUTE;

const beaten = (since: number, change: Partial<PushState> = {}): PushState => ({
  ...INITIAL_PUSH_STATE,
  since,
  judged_to: since,
  ...change,
});
const find = (
  memory: PushState,
  rules: PushRules,
  status: MonitorStatus = "up",
  run: { count: 1; since: 0 } | null = null,
) => findDeadline(memory, rules, { status, run }, nextHour);
const shown = (deadline: Deadline | null) => deadline && [deadline.due_at, deadline.at, deadline.level];

describe("the next deadline", () => {
  const run = { id: "a", at: 50_000 };
  const rows: [name: string, deadline: Deadline | null, expected: ReturnType<typeof shown>][] = [
    [
      "of a heartbeat is an interval after the beat, with grace",
      find(beaten(1000), HEARTBEAT),
      [61_000, 67_000, "failure"],
    ],
    [
      "after one that was missed lies on the same grid",
      find(beaten(1000, { judged_to: 61_000 }), HEARTBEAT),
      [121_000, 127_000, "failure"],
    ],
    ["is none before the first beat", find(INITIAL_PUSH_STATE, HEARTBEAT), null],
    ["is none while paused", find(beaten(0), HEARTBEAT, "paused"), null],
    ["is none while down", find(beaten(0), HEARTBEAT, "down"), null],
    [
      "is the beat's again while it recovers",
      find(beaten(0), HEARTBEAT, "down", { count: 1, since: 0 }),
      [60_000, 66_000, "failure"],
    ],
    [
      "of a schedule is its next time, with a tenth of the time until the one after",
      find(beaten(0), { ...HEARTBEAT, every: hourly, grace_ms: null }),
      [60 * MINUTE, 66 * MINUTE, "failure"],
    ],
    [
      "has a grace of at least five seconds",
      find(beaten(0), { ...HEARTBEAT, every: 10_000, grace_ms: null }),
      [10_000, 15_000, "failure"],
    ],
    [
      "without grace is the due time itself",
      find(beaten(0), { ...HEARTBEAT, grace_ms: 0 }),
      [60_000, 60_000, "failure"],
    ],
    [
      "is degraded first where that comes first",
      find(beaten(0), { ...HEARTBEAT, degraded_after_ms: 30_000 }),
      [30_000, 30_000, "degraded"],
    ],
    [
      "is not degraded again for what is degraded",
      find(beaten(0), { ...HEARTBEAT, degraded_after_ms: 30_000 }, "degraded"),
      [60_000, 66_000, "failure"],
    ],
    [
      "of an open run is its start and the grace",
      find(beaten(0, { runs: [run] }), HEARTBEAT),
      [56_000, 56_000, "failure"],
    ],
    [
      "of an open run counts before the first beat, too",
      find({ ...INITIAL_PUSH_STATE, runs: [run] }, HEARTBEAT),
      [56_000, 56_000, "failure"],
    ],
    ["of metrics is degraded first", find(beaten(1000), METRICS), [61_000, 61_000, "degraded"]],
    [
      "of metrics is a failure from then on",
      find(beaten(1000, { judged_to: 61_000 }), METRICS, "degraded"),
      [121_000, 121_000, "failure"],
    ],
  ];
  it.each(rows)("%s", (_name, deadline, expected) => {
    expect(shown(deadline)).toEqual(expected);
  });

  it("moves on once it was judged, through every time that was missed", () => {
    let memory = beaten(0);
    const due: number[] = [];
    for (let n = 0; n < 3; n++) {
      const deadline = find(memory, HEARTBEAT);
      if (!deadline) throw new Error("no deadline");
      due.push(deadline.due_at);
      memory = deadline.after;
    }
    expect(due).toEqual([60_000, 120_000, 180_000]);
    expect(findNextDue(memory, HEARTBEAT, nextHour)).toBe(240_000);
  });

  it("of a run that was judged does not come back", () => {
    const after = find(beaten(0, { runs: [run] }), HEARTBEAT)?.after;
    expect(after?.runs).toEqual([{ ...run, is_overdue: true }]);
    expect(shown(find(after ?? INITIAL_PUSH_STATE, HEARTBEAT))).toEqual([60_000, 66_000, "failure"]);
  });
});

describe("a fresh start", () => {
  it("waits a whole interval and its grace from now on, for nothing that was open", () => {
    const memory = restartDeadlines(beaten(0, { judged_to: 60_000, runs: [{ id: null, at: 5 }] }), 500_000);
    expect(shown(find(memory, HEARTBEAT, "unknown"))).toEqual([560_000, 566_000, "failure"]);
  });

  it("still waits for nobody where no beat ever came", () => {
    expect(find(restartDeadlines(INITIAL_PUSH_STATE, 500_000), HEARTBEAT)).toBeNull();
  });
});
