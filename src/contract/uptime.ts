import { z } from "zod";
import { Id, Instant } from "./common.ts";

const Milliseconds = z.number().nullable();

export const UPTIME_DAYS_MAX = 400;
export const UptimeQuery = z.object({
  days: z.coerce
    .number()
    .int()
    .min(1)
    .max(UPTIME_DAYS_MAX)
    .default(90)
    .meta({ description: "calendar days, today included" }),
});

export const UptimeDay = z
  .object({
    date: z.iso.date().meta({ description: "a day of the page's time zone; UTC for a monitor without a page" }),
    up_seconds: z.number().int(),
    degraded_seconds: z.number().int(),
    down_seconds: z.number().int(),
    maintenance_seconds: z.number().int().meta({
      description: "neither up nor down; 0 where the page's SLA policy counts it like any other time",
    }),
    uptime_percentage: z
      .number()
      .nullable()
      .meta({ description: "of the known time, without maintenance; null without known time" }),
  })
  .meta({ id: "UptimeDay" });

export const LatencyBaseline = z
  .object({
    monitor_id: Id,
    status: z
      .enum(["learning", "ready"])
      .meta({ description: "ready: learned on `needed_days`, from 100 samples or more" }),
    sample_count: z.number().int(),
    window_days: z.number().int(),
    learned_days: z.number().meta({ description: "of which there are samples, hour by hour" }),
    needed_days: z.number().int(),
    mean_ms: Milliseconds,
    stddev_ms: Milliseconds,
    min_ms: Milliseconds,
    max_ms: Milliseconds,
    p50_ms: Milliseconds,
    p90_ms: Milliseconds,
    p95_ms: Milliseconds,
    p99_ms: Milliseconds,
    hourly: z
      .array(
        z.object({
          hour: z.number().int(),
          sample_count: z.number().int(),
          mean_ms: Milliseconds,
          p95_ms: Milliseconds,
        }),
      )
      .meta({ description: "by hour of the day in UTC; hours without samples are omitted" }),
    updated_at: Instant.nullable().meta({
      description: "end of the newest hour that is counted, or now while that hour lasts",
    }),
  })
  .meta({ id: "LatencyBaseline" });
