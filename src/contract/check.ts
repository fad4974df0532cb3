import { z } from "zod";
import type { Observation } from "./observation.ts";
import type { PhaseTimes } from "./phases.ts";

/**
 * What one check of one target found. `slow` is a success above the latency threshold; `error` means that the checker
 * itself failed (an exception, a refused outbound path), which says nothing about the target.
 */
export const CHECK_OUTCOMES = ["success", "slow", "failure", "error"] as const;
export const CheckOutcome = z.enum(CHECK_OUTCOMES);
export type CheckOutcome = z.infer<typeof CheckOutcome>;

/** Why a check failed, for machines; the message says it to people. */
export const FAILURE_CAUSES = ["dns", "connect", "tls", "timeout", "status", "body", "protocol"] as const;
export type FailureCause = (typeof FAILURE_CAUSES)[number];

/** What rules measure of a check. */
export const MeasuredCheck = z.object({
  at: z.number(),
  outcome: CheckOutcome,
  latency_ms: z.number().nullable(),
  status_code: z.number().nullable(),
  /** Absent where no region checked: a deadline that passed, or the status of other monitors. */
  region: z.string().optional(),
});
export type MeasuredCheck = z.infer<typeof MeasuredCheck>;

/** The name of the region when no region was asked for: wherever the checker ran. */
export const DEFAULT_REGION = "default";

/** What one check says of its target, in the words of a monitor's status. */
export const CHECK_STATUSES = ["up", "down", "degraded", "unknown"] as const;
export type CheckStatus = (typeof CHECK_STATUSES)[number];

/** The result of a manual check. */
export const ManualCheckResult = z.object({
  status: z.enum(CHECK_STATUSES),
  latency_ms: z.number().nullable(),
  message: z.string(),
  region: z.string(),
  colo: z
    .string()
    .nullable()
    .default(null)
    .meta({ description: "the data centre that the check ran in; null for an agent's and where it is unknown" }),
  checked_at: z.number(),
  details: z.record(z.string(), z.unknown()),
});
export type ManualCheckResult = z.infer<typeof ManualCheckResult>;

/** Of settings that are not saved, region by region; one at least. */
export const DryRunResult = z.object({ regions: z.array(ManualCheckResult).min(1) });
export type DryRunResult = z.infer<typeof DryRunResult>;

/** What a failed check saw of its target. It may quote the answer, so it is for the team alone. */
export const Evidence = z
  .object({
    status_line: z.string().max(200).nullable(),
    excerpt: z.string().max(200).nullable().meta({ description: "the first 200 printable characters of the answer" }),
    addresses: z
      .array(z.string().max(100))
      .max(10)
      .meta({ description: "the address that answered; several where the network chose among them" }),
  })
  .meta({ id: "Evidence" });
export type Evidence = z.infer<typeof Evidence>;

/** As it is kept: what an agent saw inside of a network is shown to fewer people. */
export const StoredEvidence = Evidence.extend({ from_agent: z.boolean().optional() });
export type StoredEvidence = z.infer<typeof StoredEvidence>;

/**
 * `cause` and `evidence` are there when the outcome is failure. No message or detail holds a body, a secret or an address
 * we looked up; only evidence does.
 */
export interface ProbeResult {
  outcome: CheckOutcome;
  latency_ms: number | null;
  message: string;
  cause?: FailureCause;
  details: Record<string, unknown>;
  evidence?: Evidence;
  /** For the observation: the beginning of the answer, and how to hide what the request carried in confidence. */
  answered?: { body: string | null; conceal: (text: string) => string };
  /** Of a success, where the way to it has phases. */
  phases?: PhaseTimes;
  /** What was seen in full, of a failure and where it was asked for. */
  observation?: Observation;
}
