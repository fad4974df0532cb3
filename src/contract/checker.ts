import { z } from "zod";
import { CHECK_OUTCOMES, Evidence, FAILURE_CAUSES } from "./check.ts";
import { MONITOR_TYPES } from "./monitor-values.ts";
import { Observation } from "./observation.ts";
import { PhaseTimes } from "./phases.ts";

/** What a checker Worker receives and returns: probes to run, and what they found, in the same order. */

export const CheckerJob = z.object({
  type: z.enum(MONITOR_TYPES),
  target: z.string(),
  /** The settings of the monitor type, secrets included; the request never leaves Cloudflare's network. */
  fields: z.unknown(),
  /** The values of secrets that the fields name. */
  secrets: z.record(z.string(), z.string()).optional(),
  timeout_seconds: z.number().nullable(),
  latency_threshold_ms: z.number().nullable(),
  reads_certificate: z.boolean().optional(),
  certificate_expires_at: z.number().nullish(),
  observes: z.boolean().optional(),
});
export type CheckerJob = z.infer<typeof CheckerJob>;

export const CheckerRequest = z.object({ jobs: z.array(CheckerJob).max(100) });

export const CheckerResponse = z.object({
  outcomes: z.array(
    z.object({
      checked_at: z.number(),
      /** The data centre that the check ran in; absent from checkers of an older release. */
      colo: z.string().nullish(),
      result: z.object({
        outcome: z.enum(CHECK_OUTCOMES),
        latency_ms: z.number().nullable(),
        message: z.string(),
        cause: z.enum(FAILURE_CAUSES).optional(),
        details: z.record(z.string(), z.unknown()),
        evidence: Evidence.optional(),
        phases: PhaseTimes.optional(),
        observation: Observation.optional(),
      }),
    }),
  ),
});
export type CheckerResponse = z.infer<typeof CheckerResponse>;
export type CheckerOutcome = CheckerResponse["outcomes"][number];
