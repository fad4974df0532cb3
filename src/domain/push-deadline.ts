import type { MetricThreshold } from "../contract/push.ts";
import type { OpenRun } from "./heartbeat.ts";
import type { MonitorState } from "./monitor-state.ts";
import type { RoundResult } from "./rounds.ts";

/**
 * Deadlines of push monitors. They follow from the push state and the rules alone, so a lost, early or repeated timer
 * changes nothing.
 */

/** A schedule of five fields in a time zone. */
interface Cron {
  schedule: string;
  timezone: string;
}
/** The first time of a schedule after an instant, null for none. */
export type NextTime = (cron: Cron, after: number) => number | null;

interface SharedRules {
  latency_threshold_ms: number | null;
}
export interface HeartbeatRules extends SharedRules {
  kind: "heartbeat";
  /** The interval between heartbeats, or the schedule of their due times. */
  every: number | Cron;
  /** Grace after the due time; null: a tenth of the time until the next heartbeat. */
  grace_ms: number | null;
  degraded_after_ms: number | null;
}
export interface MetricsRules extends SharedRules {
  kind: "api" | "game_server";
  /** Time without a push until the monitor is degraded; each further such time is one failure. */
  stale_ms: number;
  thresholds: MetricThreshold[];
}
export type PushRules = HeartbeatRules | MetricsRules;

/** The state of a push monitor besides its status. Plain JSON. */
export interface PushState {
  /** Number of pushes so far. */
  count: number;
  /** Time of the newest push that was valid for the present. */
  result: RoundResult | null;
  /** The newest heartbeat or restart; null before the first heartbeat, which has no deadline. */
  since: number | null;
  /** End of the newest span without a heartbeat that was evaluated. */
  judged_to: number;
  runs: OpenRun[];
  /** The part of the pushes that the hourly summaries contain. */
  tallied: { count: number; at: number };
}

export const INITIAL_PUSH_STATE: PushState = {
  count: 0,
  result: null,
  since: null,
  judged_to: 0,
  runs: [],
  tallied: { count: 0, at: 0 },
};

export interface Deadline {
  /** The last instant that is in time. */
  at: number;
  due_at: number;
  level: "failure" | "degraded";
  message: string;
  /** The state after the deadline is processed. */
  after: PushState;
}

/** A deadline that is processed later than this was missed by the service and is not a failure of the target. */
export const DEADLINE_TOLERANCE_MS = 30_000;
const GRACE_MIN_MS = 5_000;

/** The next deadline that can change the state; null while none is pending. */
export function findDeadline(
  memory: PushState,
  rules: PushRules,
  { status, run }: Pick<MonitorState, "status" | "run">,
  nextTime: NextTime,
): Deadline | null {
  // A monitor that is down stays down; a missed deadline only ends its recovery.
  if (status === "paused" || (status === "down" && run === null)) return null;
  if (rules.kind !== "heartbeat") return stalePush(memory, rules);
  const found = [
    ...openRuns(memory, rules, nextTime),
    dueBeat(memory, rules, nextTime),
    oldBeat(memory, rules, status),
  ];
  return found.reduce(earlier);
}

function earlier(one: Deadline | null, other: Deadline | null): Deadline | null {
  return one === null || (other !== null && other.at < one.at) ? other : one;
}

/** When the next heartbeat is due; null when none is expected. */
export function findNextDue(memory: PushState, rules: HeartbeatRules, nextTime: NextTime): number | null {
  const { since, judged_to } = memory;
  if (since === null) return null;
  if (typeof rules.every !== "number") return nextTime(rules.every, judged_to);
  return since + rules.every * (Math.floor((judged_to - since) / rules.every) + 1);
}

/**
 * Restarts deadlines after the service itself was interrupted.
 * Choice: counts as if a push had arrived now. With only the grace, monitors with longer intervals would go down because
 * of the service's own outage.
 */
export function restartDeadlines(memory: PushState, now: number): PushState {
  return { ...memory, since: memory.since === null ? null : now, judged_to: now, runs: [] };
}

function dueBeat(memory: PushState, rules: HeartbeatRules, nextTime: NextTime): Deadline | null {
  const due_at = findNextDue(memory, rules, nextTime);
  if (due_at === null) return null;
  const at = due_at + graceAt(due_at, rules, nextTime);
  return {
    at,
    due_at,
    level: "failure",
    message: "no heartbeat received in time",
    after: { ...memory, judged_to: due_at },
  };
}

function oldBeat(memory: PushState, rules: HeartbeatRules, status: MonitorState["status"]): Deadline | null {
  if (memory.since === null || rules.degraded_after_ms === null || status !== "up") return null;
  const at = memory.since + rules.degraded_after_ms;
  const message = `no heartbeat for ${rules.degraded_after_ms / 1000} s`;
  return { at, due_at: at, level: "degraded", message, after: memory };
}

function openRuns(memory: PushState, rules: HeartbeatRules, nextTime: NextTime): Deadline[] {
  const waitedFor = memory.runs.filter((run) => !run.is_overdue);
  return waitedFor.map((run) => {
    const due = typeof rules.every === "number" ? run.at : (nextTime(rules.every, run.at) ?? run.at);
    const at = run.at + graceAt(due, rules, nextTime);
    const runs = memory.runs.map((other) => (other === run ? { ...run, is_overdue: true as const } : other));
    const after = { ...memory, runs };
    return { at, due_at: at, level: "failure", message: "a started run did not finish in time", after };
  });
}

function stalePush(memory: PushState, rules: MetricsRules): Deadline | null {
  if (memory.since === null) return null;
  const at = memory.judged_to + rules.stale_ms;
  const level = memory.judged_to === memory.since ? "degraded" : "failure";
  const seconds = Math.round((at - memory.since) / 1000);
  return {
    at,
    due_at: at,
    level,
    message: `no metrics received for ${seconds} s`,
    after: { ...memory, judged_to: at },
  };
}

function graceAt(dueAt: number, { every, grace_ms }: HeartbeatRules, nextTime: NextTime): number {
  if (grace_ms !== null) return grace_ms;
  const interval = typeof every === "number" ? every : (nextTime(every, dueAt) ?? dueAt) - dueAt;
  return Math.max(GRACE_MIN_MS, Math.round(interval / 10));
}
