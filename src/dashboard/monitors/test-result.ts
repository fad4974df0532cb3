import { z } from "zod";
import type { DryRunReport } from "../../contract/monitor.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { formatMilliseconds } from "../formats.ts";
import { words } from "../words.ts";
import { type StepRow, stepsOfResult } from "./step-results.tsx";

export interface TestResult {
  region: string;
  status: "up" | "down" | "degraded" | "unknown";
  /** After the word of the status: ", 84 ms, certificate 61 days". */
  text: string;
  /** Of a journey. */
  steps: readonly StepRow[];
}

type Report = z.output<typeof DryRunReport>["regions"][number];

/** What one region found of a monitor that is only tried. */
export function describeResult({ status, region, latency_ms, message, details }: Report, now: number): TestResult {
  const days = daysLeft(details, now);
  const parts = [
    ...(latency_ms === null ? [] : [formatMilliseconds(latency_ms)]),
    ...(days === null ? [] : [words("dashboard-monitors").test_result.certificate({ days })]),
    ...(message ? [message] : []),
  ];
  return { status, region, steps: stepsOfResult(details), text: parts.length === 0 ? "" : `, ${parts.join(", ")}` };
}

const Expiry = z.object({ certificate_expires_at: z.iso.datetime().or(z.number()) }).loose();

function daysLeft(details: unknown, now: number): number | null {
  const found = Expiry.safeParse(details);
  if (!found.success) return null;
  return Math.floor((new Date(found.data.certificate_expires_at).getTime() - now) / DAY_MS);
}
