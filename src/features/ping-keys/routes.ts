import { createRoute } from "@hono/zod-openapi";
import { PingKey, PingKeyBody } from "../../contract/ping-key.ts";
import { endpoint } from "../../http/endpoint.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, OBJECT_ERRORS } from "../../http/responses.ts";
import { setPingKey } from "./service.ts";

export const endpoints = [
  endpoint(
    {
      at: ["v1"],
      auth: "user",
      permission: "monitors.write",
      audit: "page.ping_key_replaced",
      rate: "push_alias",
      ids: { params: { id: "page" } },
    },
    createRoute({
      method: "put",
      path: "/status-pages/{id}/ping-key",
      tags: ["Heartbeats"],
      summary: "Set the key by which heartbeats name the monitors of a page",
      description:
        "As the ping key of a project of Healthchecks: `/ping/<key>/<external_key>` is a heartbeat of that monitor, and with `?create=1` makes it first. A new key takes the place of the former one. 409 where another page has it.",
      request: { params: IdParam, body: jsonBody(PingKeyBody) },
      responses: { 200: json("The key, shown once", PingKey), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      const key = await setPingKey(c.var.ctx, id, c.req.valid("json").key);
      const ping_url = key === null ? null : `${c.var.ctx.publicUrl}/ping/${key}/{key}`;
      return c.json({ status_page_id: id, key, ping_url }, 200);
    },
  ),
];
