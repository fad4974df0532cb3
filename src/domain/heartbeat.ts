import type { Heartbeat } from "../contract/push.ts";

/** A run of a job that said that it began. */
export interface OpenRun {
  id: string | null;
  at: number;
  /** It took too long, which was said; its end still tells how long. */
  is_overdue?: true;
}

/** More runs than this at a time are not followed; the oldest are forgotten. */
const RUNS_MAX = 20;

export interface HeartbeatEvaluation {
  /** Null where it says nothing of how the job does. */
  outcome: "success" | "failure" | null;
  duration_ms: number | null;
  message: string;
  runs: OpenRun[];
}

/** What a beat says, given the runs that are open when it arrives. */
export function evaluateHeartbeat(beat: Heartbeat, open: readonly OpenRun[], now: number): HeartbeatEvaluation {
  const others = open.filter(({ id }) => id !== beat.run_id);
  const message = beat.message ?? "";
  if (beat.status === "log") return { outcome: null, duration_ms: beat.duration_ms, message, runs: [...open] };
  if (beat.status === "start") {
    const runs = [...others, { id: beat.run_id, at: now }].slice(-RUNS_MAX);
    return { outcome: null, duration_ms: null, message, runs };
  }
  const started = open.find(({ id }) => id === beat.run_id);
  const duration_ms = beat.duration_ms ?? (started ? now - started.at : null);
  const hasFailed = beat.status === "fail" || (beat.exit_code ?? 0) !== 0;
  const outcome = hasFailed ? "failure" : "success";
  return { outcome, duration_ms, message: message || describe(beat, hasFailed), runs: others };
}

function describe({ exit_code }: Heartbeat, hasFailed: boolean): string {
  if (!hasFailed) return "heartbeat received";
  return exit_code === null ? "the job reported a failure" : `the job ended with exit code ${exit_code}`;
}
