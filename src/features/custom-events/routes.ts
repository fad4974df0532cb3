import { createRoute, z } from "@hono/zod-openapi";
import { CustomEvent, EventEmit, EventLogQuery } from "../../contract/event-rule.ts";
import type { EventLogRecord } from "../../data/event-rules/read.ts";
import { endpoint } from "../../http/endpoint.ts";
import { LongListQuery, setListHeaders } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, OBJECT_ERRORS } from "../../http/responses.ts";
import { toIso } from "../../platform/clock.ts";
import { emitCustomEvent, listCustomEvents } from "./service.ts";

const tags = ["Custom events"];
const shared = { at: ["v1", "v2"], auth: "user" } as const;
const page = { id: "page" } as const;

export const endpoints = [
  endpoint(
    {
      ...shared,
      permission: null,
      audit: null,
      rate: "api",
      ids: { params: page, query: { monitor_id: "monitor:see" } },
    },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/events/log",
      tags,
      summary: "List custom events and firings of event rules",
      request: { params: IdParam, query: LongListQuery.extend(EventLogQuery.shape) },
      responses: { 200: json("The entries, newest first", z.array(CustomEvent)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const { limit, offset, cursor, ...filter } = c.req.valid("query");
      const pagination = { limit, offset, cursor };
      const { rows, total } = await listCustomEvents(c.var.ctx, c.req.valid("param").id, { filter, pagination });
      setListHeaders(
        c,
        pagination,
        total,
        rows.map(({ created_at, id }) => [created_at, id]),
      );
      return c.json(rows.map(presentEvent), 200);
    },
  ),

  endpoint(
    {
      ...shared,
      permission: "events.write",
      audit: "custom_event.emitted",
      rate: "emit",
      ids: { params: page, body: { monitor_id: "monitor:see" } },
    },
    createRoute({
      method: "post",
      path: "/status-pages/{id}/events/emit",
      tags,
      summary: "Emit a custom event",
      description:
        "Webhooks receive it by its name and classification. With evaluate_rules, the rules with that event_name are evaluated before the response.",
      request: { params: IdParam, body: jsonBody(EventEmit) },
      responses: { 201: json("The event", CustomEvent), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const event = await emitCustomEvent(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json(presentEvent(event), 201);
    },
  ),
];

function presentEvent(entry: EventLogRecord): z.infer<typeof CustomEvent> {
  return {
    id: entry.id,
    status_page_id: entry.status_page_id,
    event_name: entry.event_name,
    classification: entry.classification,
    title: entry.title,
    description: entry.description,
    monitor_id: entry.monitor_id,
    agent_id: entry.agent_id,
    payload: entry.payload,
    rule_id: entry.rule_id,
    created_at: toIso(entry.created_at),
    updated_at: toIso(entry.updated_at),
  };
}
