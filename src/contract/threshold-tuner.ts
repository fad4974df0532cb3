import { z } from "zod";
import { Instant } from "./common.ts";

export const TUNE_DAYS_MAX = 90;
export const TUNE_DAYS_MIN = 7;

export const TuneInput = z
  .object({
    max_false_alarms_per_month: z
      .number()
      .min(0)
      .max(1000)
      .nullish()
      .meta({ description: "alerts about what lasted under 2 intervals, in 30 days; default 1" }),
    max_delay_seconds: z
      .number()
      .min(1)
      .max(86_400)
      .nullish()
      .meta({ description: "from the first failure to monitor.down, for 95 of 100 outages; default no limit" }),
  })
  .meta({ id: "TuneInput" });
export type TuneInput = z.infer<typeof TuneInput>;

export const TunedThresholds = z
  .object({
    failure_threshold: z.int(),
    recovery_threshold: z.int(),
    latency_threshold_ms: z.int().nullable(),
    announced: z.int().meta({ description: "monitor.down and monitor.degraded events over the replayed history" }),
    short_outages: z.int().meta({ description: "announced outages under 2 intervals" }),
    delay_p95_seconds: z.number().nullable().meta({ description: "null: no outage was announced" }),
  })
  .meta({ id: "TunedThresholds" });
export type TunedThresholds = z.infer<typeof TunedThresholds>;

export const TuneResult = z
  .object({
    from: Instant,
    to: Instant,
    current: TunedThresholds,
    proposed: TunedThresholds.meta({ description: "a proposal; the monitor is not changed" }),
    reason: z.string(),
  })
  .meta({ id: "TuneResult" });
