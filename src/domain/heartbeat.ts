import type { Heartbeat } from "../contract/push.ts";

/** A run of a job that reported its start. */
export interface OpenRun {
  id: string | null;
  at: number;
  /** The run is reported as too long; its end still yields its duration. */
  is_overdue?: true;
}

/** More open runs than this are not tracked; the oldest are dropped. */
const RUNS_MAX = 20;

export interface HeartbeatEvaluation {
  /** Null for `start` and `log`, which are no results. */
  outcome: "success" | "failure" | null;
  duration_ms: number | null;
  message: string;
  runs: OpenRun[];
}

/** Evaluates a heartbeat, given the runs that are open at its arrival. */
export function evaluateHeartbeat(heartbeat: Heartbeat, open: readonly OpenRun[], now: number): HeartbeatEvaluation {
  const others = open.filter(({ id }) => id !== heartbeat.run_id);
  const message = heartbeat.message ?? "";
  if (heartbeat.status === "log")
    return { outcome: null, duration_ms: heartbeat.duration_ms, message, runs: [...open] };
  if (heartbeat.status === "start") {
    const runs = [...others, { id: heartbeat.run_id, at: now }].slice(-RUNS_MAX);
    return { outcome: null, duration_ms: null, message, runs };
  }
  const started = open.find(({ id }) => id === heartbeat.run_id);
  const duration_ms = heartbeat.duration_ms ?? (started ? now - started.at : null);
  const hasFailed = heartbeat.status === "fail" || (heartbeat.exit_code ?? 0) !== 0;
  const outcome = hasFailed ? "failure" : "success";
  return { outcome, duration_ms, message: message || describe(heartbeat, hasFailed), runs: others };
}

function describe({ exit_code }: Heartbeat, hasFailed: boolean): string {
  if (!hasFailed) return "heartbeat received";
  return exit_code === null ? "the job reported a failure" : `the job ended with exit code ${exit_code}`;
}
