import { createRoute, z } from "@hono/zod-openapi";
import {
  Incident,
  IncidentChange,
  IncidentCreate,
  IncidentStats,
  IncidentUpdate,
  IncidentUpdateCreate,
  Status,
  UpdateChange,
} from "../../contract/incident.ts";
import { type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { ListQuery, setListHeaders } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { presentIncident, presentStats, presentUpdate } from "./present.ts";
import {
  acknowledgeIncident,
  changeIncident,
  computeStatsOfPage,
  createIncident,
  getIncident,
  listMyIncidents,
  removeIncident,
  setPublished,
} from "./service.ts";
import { addUpdate, changeUpdate, listUpdates, removeUpdate } from "./updates.ts";

const tags = ["Incidents"];
const reads = {
  at: ["v1"],
  auth: "user",
  rate: "api",
  permission: null,
  audit: null,
} as const satisfies EndpointPolicy;
const writes = { at: ["v1"], auth: "user", rate: "api", permission: "incidents.write" } as const;
const named = { id: "incident" } as const;
const affected = { monitor_id: "monitor:see", "monitor_ids[]": "monitor:see", "group_ids[]": "group" } as const;
const IncidentListQuery = ListQuery.extend({ status: Status.optional() });
const UpdateParams = IdParam.extend({ update_id: z.uuid() });
const one = { 200: json("The incident", Incident), ...OBJECT_ERRORS };
const MONTHS_MAX = 24;

export const endpoints = [
  endpoint(
    { ...reads, ids: { query: { status_page_id: "page" } } },
    createRoute({
      method: "get",
      path: "/incidents",
      tags,
      summary: "List incidents",
      description: "Those of all your status pages, or of one.",
      request: { query: IncidentListQuery.extend({ status_page_id: z.uuid().optional() }) },
      responses: { 200: json("The incidents, the last begun first", z.array(Incident)), ...USER_ERRORS },
    }),
    async (c) => {
      const { status_page_id, status, ...page } = c.req.valid("query");
      const { incidents, total } = await listMyIncidents(c.var.ctx, { status_page_id, status }, page);
      setListHeaders(c, page, total);
      return c.json(incidents.map(presentIncident), 200);
    },
  ),

  endpoint(
    { ...reads, ids: { params: { id: "page" } } },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/incidents",
      tags,
      summary: "List the incidents of a status page",
      request: { params: IdParam, query: IncidentListQuery },
      responses: { 200: json("The incidents, the last begun first", z.array(Incident)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const { status, ...page } = c.req.valid("query");
      const filter = { status_page_id: c.req.valid("param").id, status };
      const { incidents, total } = await listMyIncidents(c.var.ctx, filter, page);
      setListHeaders(c, page, total);
      return c.json(incidents.map(presentIncident), 200);
    },
  ),

  endpoint(
    { ...reads, ids: { params: { id: "page" } } },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/incidents/stats",
      tags,
      summary: "How incidents of a status page were handled",
      description:
        "Counts and mean times to acknowledge and to resolve, by calendar month of the page's time zone and by severity.",
      request: {
        params: IdParam,
        query: z.object({ months: z.coerce.number().int().min(1).max(MONTHS_MAX).default(12) }),
      },
      responses: { 200: json("The figures", IncidentStats), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      return c.json(presentStats(await computeStatsOfPage(c.var.ctx, id, c.req.valid("query").months)), 200);
    },
  ),

  endpoint(
    { ...writes, audit: "incident.created", ids: { body: { status_page_id: "page", ...affected } } },
    createRoute({
      method: "post",
      path: "/incidents",
      tags,
      summary: "Create an incident",
      description:
        "It stays internal until it is published, by is_public or later. While the page's incident_system_enabled is false this is 409.",
      request: { body: jsonBody(IncidentCreate) },
      responses: { 201: json("The incident", Incident), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json(presentIncident(await createIncident(c.var.ctx, c.req.valid("json"))), 201),
  ),

  endpoint(
    { ...reads, ids: { params: named } },
    createRoute({
      method: "get",
      path: "/incidents/{id}",
      tags,
      summary: "Get an incident",
      request: { params: IdParam },
      responses: one,
    }),
    async (c) => c.json(presentIncident(await getIncident(c.var.ctx, c.req.valid("param").id)), 200),
  ),

  endpoint(
    { ...writes, audit: "incident.updated", ids: { params: named, body: affected } },
    createRoute({
      method: "put",
      path: "/incidents/{id}",
      tags,
      summary: "Change an incident",
      description:
        "What is absent stays; null clears. The status may move in any direction: a move is written into the timeline and told as incident.updated, or incident.resolved; the status that it already has changes nothing.",
      request: { params: IdParam, body: jsonBody(IncidentChange) },
      responses: { ...one, ...BODY_ERRORS },
    }),
    async (c) => {
      const incident = await changeIncident(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json(presentIncident(incident), 200);
    },
  ),

  endpoint(
    { ...writes, audit: "incident.deleted", ids: { params: named } },
    createRoute({
      method: "delete",
      path: "/incidents/{id}",
      tags,
      summary: "Delete an incident and its timeline",
      request: { params: IdParam },
      responses: { ...noContent, ...OBJECT_ERRORS },
    }),
    async (c) => {
      await removeIncident(c.var.ctx, c.req.valid("param").id);
      return c.body(null, 204);
    },
  ),

  endpoint(
    { ...writes, audit: "incident.published", ids: { params: named } },
    createRoute({
      method: "post",
      path: "/incidents/{id}/publish",
      tags,
      summary: "Show an incident on its status page",
      description: "Told as incident.updated. A published incident stays as it is.",
      request: { params: IdParam },
      responses: one,
    }),
    async (c) => c.json(presentIncident(await setPublished(c.var.ctx, c.req.valid("param").id, true)), 200),
  ),

  endpoint(
    { ...writes, audit: "incident.unpublished", ids: { params: named } },
    createRoute({
      method: "post",
      path: "/incidents/{id}/unpublish",
      tags,
      summary: "Hide an incident from its status page",
      request: { params: IdParam },
      responses: one,
    }),
    async (c) => c.json(presentIncident(await setPublished(c.var.ctx, c.req.valid("param").id, false)), 200),
  ),

  endpoint(
    { ...writes, audit: "incident.acknowledged", ids: { params: named } },
    createRoute({
      method: "post",
      path: "/incidents/{id}/acknowledge",
      tags,
      summary: "Say that somebody takes care of an incident",
      description: "Whoever says so first is recorded; a repeat changes nothing.",
      request: { params: IdParam },
      responses: one,
    }),
    async (c) => c.json(presentIncident(await acknowledgeIncident(c.var.ctx, c.req.valid("param").id)), 200),
  ),

  endpoint(
    { ...reads, ids: { params: named } },
    createRoute({
      method: "get",
      path: "/incidents/{id}/updates",
      tags,
      summary: "List the timeline of an incident",
      request: { params: IdParam, query: ListQuery },
      responses: { 200: json("The updates, newest first", z.array(IncidentUpdate)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const page = c.req.valid("query");
      const { rows, total } = await listUpdates(c.var.ctx, c.req.valid("param").id, page);
      setListHeaders(c, page, total);
      return c.json(rows.map(presentUpdate), 200);
    },
  ),

  endpoint(
    { ...writes, audit: "incident.update_added", ids: { params: named } },
    createRoute({
      method: "post",
      path: "/incidents/{id}/updates",
      tags,
      summary: "Add to the timeline of an incident",
      description: "Told as incident.updated, or incident.resolved where it resolves.",
      request: { params: IdParam, body: jsonBody(IncidentUpdateCreate) },
      responses: { 201: json("The update", IncidentUpdate), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const update = await addUpdate(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json(presentUpdate(update), 201);
    },
  ),

  endpoint(
    { ...writes, audit: "incident.update_changed", ids: { params: named } },
    createRoute({
      method: "put",
      path: "/incidents/{id}/updates/{update_id}",
      tags,
      summary: "Correct an update's text",
      description: "Nobody is told again.",
      request: { params: UpdateParams, body: jsonBody(UpdateChange) },
      responses: { 200: json("The update", IncidentUpdate), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const update = await changeUpdate(c.var.ctx, c.req.valid("param"), c.req.valid("json"));
      return c.json(presentUpdate(update), 200);
    },
  ),

  endpoint(
    { ...writes, audit: "incident.update_deleted", ids: { params: named } },
    createRoute({
      method: "delete",
      path: "/incidents/{id}/updates/{update_id}",
      tags,
      summary: "Delete an update",
      request: { params: UpdateParams },
      responses: { ...noContent, ...OBJECT_ERRORS },
    }),
    async (c) => {
      await removeUpdate(c.var.ctx, c.req.valid("param"));
      return c.body(null, 204);
    },
  ),
];
