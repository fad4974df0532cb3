import { createRoute, z } from "@hono/zod-openapi";
import { Escalation, EscalationSnooze, EscalationSummary } from "../../contract/on-call.ts";
import { type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { LongListQuery, setListHeaders } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, OBJECT_ERRORS } from "../../http/responses.ts";
import { presentEscalation, presentEscalationSummary } from "./present.ts";
import { acknowledgeEscalation, listPageEscalations, readEscalation, readPageEscalation, snooze } from "./service.ts";

const tags = ["On-call"];
const shared = { at: ["v1"], auth: "user", rate: "api" } as const;
const reads = { ...shared, permission: null, audit: null } as const;
const ofIncident = { ids: { params: { id: "incident" } } } as const satisfies Partial<EndpointPolicy>;
const ofEscalation = {
  ids: { params: { id: "page", escalation_id: "escalation" } },
} as const satisfies Partial<EndpointPolicy>;
const EscalationParams = IdParam.extend({ escalation_id: z.uuid() });

export const endpoints = [
  endpoint(
    { ...reads, ids: { params: { id: "page" } } },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/on-call/escalations",
      tags,
      summary: "List the escalations of a status page",
      description: "Of incidents and of critical events without one, the newest first.",
      request: { params: IdParam, query: LongListQuery },
      responses: { 200: json("The escalations", z.array(EscalationSummary)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const pagination = c.req.valid("query");
      const { escalations, total } = await listPageEscalations(c.var.ctx, c.req.valid("param").id, pagination);
      setListHeaders(
        c,
        pagination,
        total,
        escalations.map(({ escalation }) => [escalation.created_at, escalation.id]),
      );
      return c.json(escalations.map(presentEscalationSummary), 200);
    },
  ),

  endpoint(
    { ...reads, ...ofEscalation },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/on-call/escalations/{escalation_id}",
      tags,
      summary: "Get an escalation",
      description: "Every notification with its result.",
      request: { params: EscalationParams },
      responses: { 200: json("The escalation", Escalation), ...OBJECT_ERRORS },
    }),
    async (c) => c.json(presentEscalation(await readPageEscalation(c.var.ctx, c.req.valid("param"))), 200),
  ),

  endpoint(
    { ...shared, ...ofEscalation, permission: "incidents.write", audit: "escalation.acknowledged" },
    createRoute({
      method: "post",
      path: "/status-pages/{id}/on-call/escalations/{escalation_id}/acknowledge",
      tags,
      summary: "Acknowledge everything that an escalation notifies of",
      description: "The first acknowledgement counts; a repeat changes nothing.",
      request: { params: EscalationParams },
      responses: { 200: json("The escalation", Escalation), ...OBJECT_ERRORS },
    }),
    async (c) => c.json(presentEscalation(await acknowledgeEscalation(c.var.ctx, c.req.valid("param"))), 200),
  ),

  endpoint(
    { ...reads, ...ofIncident },
    createRoute({
      method: "get",
      path: "/incidents/{id}/escalation",
      tags,
      summary: "Get the escalation of an incident",
      description: "Every notification with its result. 404 where the page has no escalation policy.",
      request: { params: IdParam },
      responses: { 200: json("The escalation", Escalation), ...OBJECT_ERRORS },
    }),
    async (c) => c.json(presentEscalation(await readEscalation(c.var.ctx, c.req.valid("param").id)), 200),
  ),

  endpoint(
    { ...shared, ...ofIncident, permission: "incidents.write", audit: "incident.snoozed" },
    createRoute({
      method: "post",
      path: "/incidents/{id}/snooze",
      tags,
      summary: "Snooze the escalation of an incident",
      description: "No step is notified until then; afterwards the escalation starts over.",
      request: { params: IdParam, body: jsonBody(EscalationSnooze) },
      responses: { 200: json("The escalation", Escalation), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const detail = await snooze(c.var.ctx, c.req.valid("param").id, c.req.valid("json").until);
      return c.json(presentEscalation(detail), 200);
    },
  ),
];
