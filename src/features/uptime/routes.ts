import { createRoute, z } from "@hono/zod-openapi";
import { LatencyBaseline, UptimeDay, UptimeQuery } from "../../contract/uptime.ts";
import { endpoint } from "../../http/endpoint.ts";
import { setListHeaders, WholeListQuery } from "../../http/lists.ts";
import { IdParam, json, OBJECT_ERRORS } from "../../http/responses.ts";
import { presentBaseline, presentDay } from "./present.ts";
import { computeUptime, learnLatency } from "./service.ts";

const tags = ["Monitors"];

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
      path: "/monitors/{id}/uptime",
      tags,
      summary: "Get the daily uptime of a monitor",
      description:
        "Seconds up, degraded, down and in maintenance, oldest day first, as far back as the plan keeps history. Unknown, pending and paused time does not count.",
      request: { params: IdParam, query: WholeListQuery.extend(UptimeQuery.shape) },
      responses: { 200: json("One entry per day", z.array(UptimeDay)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const { days: count, ...page } = c.req.valid("query");
      const days = await computeUptime(c.var.ctx, c.req.valid("param").id, count);
      setListHeaders(c, page, days.length);
      return c.json(days.slice(page.offset, page.offset + page.limit).map(presentDay), 200);
    },
  ),

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
      path: "/monitors/{id}/latency-baseline",
      tags,
      summary: "Get the latency baseline of a monitor",
      description: "From the successful checks of the last 14 days; an hour counts once it has ended.",
      request: { params: IdParam },
      responses: { 200: json("The baseline", LatencyBaseline), ...OBJECT_ERRORS },
    }),
    async (c) => c.json(presentBaseline(await learnLatency(c.var.ctx, c.req.valid("param").id)), 200),
  ),
];
