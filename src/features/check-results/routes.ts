import { createRoute, z } from "@hono/zod-openapi";
import { MonitorResult } from "../../contract/agent.ts";
import { InstantInput } from "../../contract/common.ts";
import { Location } from "../../contract/location.ts";
import { endpoint } from "../../http/endpoint.ts";
import { LongListQuery, setListHeaders } from "../../http/lists.ts";
import { IdParam, json, OBJECT_ERRORS } from "../../http/responses.ts";
import { presentResult } from "./present.ts";
import { listMonitorResults } from "./service.ts";

export const endpoints = [
  endpoint(
    {
      at: ["v1"],
      auth: "user",
      rate: "api",
      permission: null,
      audit: null,
      ids: { params: { id: "monitor:see" } },
    },
    createRoute({
      method: "get",
      path: "/monitors/{id}/results",
      tags: ["Monitors"],
      summary: "Get the recent results of a monitor",
      description:
        "One entry per check, heartbeat or metric sample, as measured; heartbeats of kind start and log among them. The plan sets for how many days they are kept; of pushes, the newest 1,000 are kept and evaluated by the current thresholds. X-Total-Count stops counting at 1,000.",
      request: {
        params: IdParam,
        query: LongListQuery.extend({
          from: InstantInput.optional(),
          to: InstantInput.optional(),
          region: Location.optional(),
        }),
      },
      responses: { 200: json("Results, newest first", z.array(MonitorResult)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const wanted = c.req.valid("query");
      const { rows, positions, total } = await listMonitorResults(c.var.ctx, c.req.valid("param").id, wanted);
      setListHeaders(c, wanted, total, positions);
      return c.json(rows.map(presentResult), 200);
    },
  ),
];
