import { z } from "zod";
import { Evidence } from "./check.ts";
import { Id, Instant, InstantInput } from "./common.ts";
import { MONITOR_STATUSES } from "./monitor-values.ts";

export const TimeRangeQuery = z.object({ from: InstantInput.optional(), to: InstantInput.optional() });

export const Outage = z
  .object({
    id: Id,
    monitor_id: Id,
    started_at: Instant.meta({ description: "when the first failing check began" }),
    ended_at: Instant.nullable(),
    duration_seconds: z.int().meta({ description: "so far, while it lasts" }),
    cause: z.string().meta({ description: "the message of the first failing check" }),
    regions: z.array(z.string()).meta({ description: "where its first round failed; none where no check decided" }),
    incident_id: Id.nullable().meta({ description: "its automatic incident" }),
    acknowledged_at: Instant.nullable().meta({ description: "when that incident was acknowledged" }),
    in_maintenance: z.boolean().meta({ description: "a maintenance window covered its beginning" }),
    evidence: Evidence.nullable().meta({ description: "what the first failing check saw; never public" }),
  })
  .meta({ id: "Outage" });

export const StatusChange = z
  .object({
    id: Id,
    event: z.string().nullable().meta({ description: "monitor.down, monitor.up or monitor.degraded; null: silent" }),
    from_status: z.enum(MONITOR_STATUSES),
    to_status: z.enum(MONITOR_STATUSES),
    at: Instant.meta({ description: "when the new status began" }),
    message: z.string(),
    region: z.string().nullable().meta({ description: "where the deciding check ran; null: no check decided" }),
  })
  .meta({ id: "StatusChange" });
