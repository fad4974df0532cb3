import type { z } from "zod";
import type { MonitorResult, ResultKind } from "../../contract/agent.ts";
import { toIso } from "../../platform/clock.ts";

/** One check in one place, from any result source. */
export interface MeasuredResult {
  kind?: ResultKind;
  checked_at: number;
  status: z.infer<typeof MonitorResult>["status"];
  latency_ms: number | null;
  message: string;
  region: string;
  colo?: string | null;
  details: Record<string, unknown>;
}

export function presentResult(result: MeasuredResult): z.infer<typeof MonitorResult> {
  return {
    kind: result.kind ?? "check",
    checked_at: toIso(result.checked_at),
    status: result.status,
    latency_ms: result.latency_ms,
    message: result.message,
    region: result.region,
    colo: result.colo ?? null,
    details: result.details,
  };
}
