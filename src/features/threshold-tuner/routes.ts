import { createRoute } from "@hono/zod-openapi";
import { TuneInput, TuneResult } from "../../contract/threshold-tuner.ts";
import { endpoint } from "../../http/endpoint.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, OBJECT_ERRORS } from "../../http/responses.ts";
import { tuneMonitor } from "./service.ts";

export const endpoints = [
  endpoint(
    {
      at: ["v1"],
      auth: "user",
      permission: "page.read",
      audit: null,
      rate: "heavy",
      ids: { params: { id: "monitor" } },
    },
    createRoute({
      method: "post",
      path: "/monitors/{id}/tune",
      tags: ["Monitors"],
      summary: "Propose thresholds for a monitor",
      description:
        "Replays the checks of the last 90 days, as far as the plan keeps them, under other thresholds. Nothing is changed. 409 not_enough_history below 7 days.",
      request: { params: IdParam, body: jsonBody(TuneInput) },
      responses: { 200: json("Present and proposed thresholds", TuneResult), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json(await tuneMonitor(c.var.ctx, c.req.valid("param").id, c.req.valid("json")), 200),
  ),
];
