import { z } from "zod";
import { StoredEvidence } from "./check.ts";
import { MONITOR_STATUSES } from "./monitor-values.ts";

/** One change of a monitor's status, as its object sends it. `event` is null for a silent change. */
export const MonitorTransition = z.object({
  seq: z.number().int().positive(),
  from: z.enum(MONITOR_STATUSES),
  to: z.enum(MONITOR_STATUSES),
  at: z.number().int(),
  effective_at: z.number().int(),
  message: z.string(),
  latency_ms: z.number().nullable(),
  region: z.string().nullable(),
  /** When the check began that decided; absent from objects of an older release. */
  checked_at: z.number().int().nullish(),
  outage: z.object({ seq: z.number().int(), started_at: z.number().int() }).nullable(),
  /** Of the transition that opens an outage: what its first failing check found, and where its last one failed. */
  failure: z
    .object({ message: z.string(), regions: z.array(z.string()), evidence: StoredEvidence.nullable() })
    .nullish(),
  /** Of one to degraded. */
  locations_down: z.array(z.string()).optional(),
  event: z.enum(["monitor.down", "monitor.up", "monitor.degraded"]).nullable(),
  /** D1 may lack the transition before this one. */
  follows_gap: z.literal(true).optional(),
});
export type MonitorTransition = z.infer<typeof MonitorTransition>;
