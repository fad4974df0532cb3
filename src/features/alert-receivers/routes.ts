import { createRoute } from "@hono/zod-openapi";
import { AlertReceivers } from "../../contract/alert-receivers.ts";
import { endpoint } from "../../http/endpoint.ts";
import { IdParam, json, OBJECT_ERRORS } from "../../http/responses.ts";
import { listAlertReceivers } from "./service.ts";

export const endpoints = [
  endpoint(
    {
      at: ["v1"],
      auth: "user",
      permission: "alerting.write",
      audit: null,
      rate: "api",
      ids: { params: { id: "monitor" } },
    },
    createRoute({
      method: "get",
      path: "/monitors/{id}/alert-receivers",
      tags: ["Monitors"],
      summary: "Get whom an outage of a monitor would reach",
      description:
        "Channels, team and on-call if it began now, decided by the same rules. Subscribers hear of incidents that are published, and event rules add what they say.",
      request: { params: IdParam },
      responses: { 200: json("The receivers", AlertReceivers), ...OBJECT_ERRORS },
    }),
    async (c) => c.json(await listAlertReceivers(c.var.ctx, c.req.valid("param").id), 200),
  ),
];
