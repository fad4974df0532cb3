import { z } from "zod";
import { RESULT_REGIONS } from "./agent.ts";
import { Instant } from "./common.ts";

export const LATENCY_PERIODS = ["24h", "7d", "30d", "90d"] as const;
export type LatencyPeriod = (typeof LATENCY_PERIODS)[number];

export const LatencyQuery = z.object({
  period: z.enum(LATENCY_PERIODS).default("24h"),
  region: z.enum(RESULT_REGIONS).optional().meta({ description: "default: all together" }),
});

const Mean = z.number().nullable();

export const LatencySeries = z
  .object({
    period: z.enum(LATENCY_PERIODS),
    step_seconds: z.int(),
    points: z.array(
      z.object({
        at: Instant.meta({ description: "when the step begins" }),
        p50_ms: z.number(),
        p95_ms: z.number(),
        max_ms: z.number(),
        checks: z.int().meta({ description: "how many successful checks it counts" }),
        phases: z
          .object({
            lookup_ms: Mean.meta({ description: "of the name" }),
            connect_ms: Mean,
            tls_ms: Mean,
            first_byte_ms: Mean.meta({ description: "from the request to the beginning of the answer" }),
            transfer_ms: Mean.meta({ description: "of the answer, where the check reads it" }),
            undivided_ms: Mean.meta({
              description: "until the answer begins, where the place that checks cannot divide that",
            }),
            checks: z.int().meta({ description: "how many checks measured them" }),
          })
          .nullable()
          .meta({ description: "how long a check spent in each phase on average; null: no check measured them" }),
      }),
    ),
  })
  .meta({ id: "LatencySeries" });
