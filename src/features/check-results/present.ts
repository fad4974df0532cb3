import type { z } from "zod";
import type { MonitorResult } from "../../contract/agent.ts";
import { toIso } from "../../platform/clock.ts";

/** One check in one place, from any result source. */
export interface MeasuredResult {
  checked_at: number;
  status: z.infer<typeof MonitorResult>["status"];
  latency_ms: number | null;
  message: string;
  region: string;
  details: Record<string, unknown>;
}

export function presentResult(result: MeasuredResult): z.infer<typeof MonitorResult> {
  return {
    checked_at: toIso(result.checked_at),
    status: result.status,
    latency_ms: result.latency_ms,
    message: result.message,
    region: result.region,
    details: result.details,
  };
}
