import { createRoute } from "@hono/zod-openapi";
import { AlertReceivers, AlertReceiversQuery } from "../../contract/alert-receivers.ts";
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
        "Channels, team and on-call if it began now, or another event at another time, decided by the same rules; and why others hear nothing. Subscribers hear of incidents that are published, and event rules add what they say.",
      request: { params: IdParam, query: AlertReceiversQuery },
      responses: { 200: json("The receivers", AlertReceivers), ...OBJECT_ERRORS },
    }),
    async (c) => c.json(await listAlertReceivers(c.var.ctx, c.req.valid("param").id, c.req.valid("query")), 200),
  ),
];
