import type { z } from "zod";
import type { LatencySeries } from "../../contract/latency.ts";
import { toIso } from "../../platform/clock.ts";
import type { LatencyHistory } from "./service.ts";

export function presentLatency({ period, range, points }: LatencyHistory): z.infer<typeof LatencySeries> {
  return {
    period,
    step_seconds: range.step_ms / 1000,
    points: points.map(({ at, p50_ms, p95_ms, max_ms, checks }) => ({ at: toIso(at), p50_ms, p95_ms, max_ms, checks })),
  };
}
