import { createRoute } from "@hono/zod-openapi";
import { LatencyQuery, LatencySeries } from "../../contract/latency.ts";
import { endpoint } from "../../http/endpoint.ts";
import { IdParam, json, OBJECT_ERRORS } from "../../http/responses.ts";
import { presentLatency } from "./present.ts";
import { listLatency } from "./service.ts";

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
