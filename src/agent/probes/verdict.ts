import type { CheckOutcome, FailureCause, ProbeResult } from "../../contract/check.ts";
import { classifyError, resultOf } from "../../net/faults.ts";
import type { NetIo } from "../../net/port.ts";

/** What a check found once the target had answered. */
export interface Verdict {
  message: string;
  details: Record<string, unknown>;
  /** Default success; a failure's cause is `status`. */
  outcome?: Exclude<CheckOutcome, "error">;
  cause?: FailureCause;
  /** Default: the time that the whole check took. */
  latency_ms?: number | null;
}

/** Runs a check to its verdict; what it throws becomes a result, as for the probes of the edge. */
export async function checkWith(io: NetIo, signal: AbortSignal, check: () => Promise<Verdict>): Promise<ProbeResult> {
  const startedAt = io.now();
  try {
    const { outcome = "success", cause = "status", latency_ms = io.now() - startedAt, ...verdict } = await check();
    return { ...verdict, outcome, latency_ms, ...(outcome === "failure" ? { cause } : {}) };
  } catch (error) {
    return resultOf(classifyError(error, signal, io.now() - startedAt));
  }
}

const NAMED_MAX = 5;

/** A failure that names the first few of what is not well, and counts the rest. */
export function failureOf(problems: readonly string[]): Pick<Verdict, "outcome" | "message"> {
  const rest = problems.length - NAMED_MAX;
  const named = problems.slice(0, NAMED_MAX).join(", ");
  return { outcome: "failure", message: rest > 0 ? `${named}, and ${rest} more` : named };
}

/** Rejects as soon as the signal fires, for clients that know no signal; `cancel` makes them let go. */
export function untilAborted<T>(operation: Promise<T>, signal: AbortSignal, cancel: () => void): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => {
      cancel();
      reject(signal.reason);
    };
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    operation.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
