import { createRoute } from "@hono/zod-openapi";
import type { z } from "zod";
import { LatencyQuery, LatencySeries } from "../../contract/latency.ts";
import type { MeanPhases } from "../../domain/phase-tally.ts";
import { endpoint } from "../../http/endpoint.ts";
import { IdParam, json, OBJECT_ERRORS } from "../../http/responses.ts";
import { toIso } from "../../platform/clock.ts";
import { type LatencyHistory, listLatency } from "./service.ts";

export const endpoints = [
  endpoint(
    {
      at: ["v1"],
      auth: "user",
      permission: "page.read",
      audit: null,
      rate: "api",
      ids: { params: { id: "monitor" } },
    },
    createRoute({
      method: "get",
      path: "/monitors/{id}/latency",
      tags: ["Monitors"],
      summary: "Get the latency of a monitor over time",
      description:
        "Median, 95th percentile (within 5 %) and maximum of successful checks in about a hundred steps, oldest first; a step without any is left out.",
      request: { params: IdParam, query: LatencyQuery },
      responses: { 200: json("The series", LatencySeries), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const history = await listLatency(c.var.ctx, c.req.valid("param").id, c.req.valid("query"));
      return c.json(presentLatency(history), 200);
    },
  ),
];

function presentPhases(means: MeanPhases) {
  const { lookup_ms, connect_ms, tls_ms, first_byte_ms, transfer_ms, undivided_ms, checks } = means;
  return { lookup_ms, connect_ms, tls_ms, first_byte_ms, transfer_ms, undivided_ms, checks };
}

function presentLatency({ period, range, points }: LatencyHistory): z.infer<typeof LatencySeries> {
  return {
    period,
    step_seconds: range.step_ms / 1000,
    points: points.map(({ at, p50_ms, p95_ms, max_ms, checks, phases }) => {
      return { at: toIso(at), p50_ms, p95_ms, max_ms, checks, phases: phases && presentPhases(phases) };
    }),
  };
}
