import { createRoute, z } from "@hono/zod-openapi";
import { InstantInput } from "../../contract/common.ts";
import { Incident, IncidentChange, IncidentCreate, IncidentStats, Severity, Status } from "../../contract/incident.ts";
import type { Position } from "../../contract/pagination.ts";
import type { IncidentDetail } from "../../data/incidents/list.ts";
import { type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { Flag, LongListQuery, setListHeaders, severalOf } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { presentIncident, presentStats } from "./present.ts";
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
const text = z.string().trim().min(1).max(200);
const IncidentListQuery = LongListQuery.extend({
  status: severalOf(Status),
  severity: severalOf(Severity),
  monitor_id: severalOf(z.uuid()),
  tag: severalOf(text),
  assigned_to_id: severalOf(z.uuid()),
  created_automatically: Flag.optional(),
  from: InstantInput.optional().meta({ description: "begun at or after" }),
  to: InstantInput.optional().meta({ description: "begun before" }),
  q: text.optional().meta({ description: "title or description contains this text" }),
});
const one = { 200: json("The incident", Incident), ...OBJECT_ERRORS };
const MONTHS_MAX = 24;
const positionOf = ({ started_at, id }: IncidentDetail): Position => [started_at, id];

export const endpoints = [
  endpoint(
    { ...reads, ids: { query: { status_page_id: "page", monitor_id: "monitor:see" } } },
    createRoute({
      method: "get",
      path: "/incidents",
      tags,
      summary: "List incidents",
      description: "Incidents of all your status pages, or of one.",
      request: { query: IncidentListQuery.extend({ status_page_id: z.uuid().optional() }) },
      responses: { 200: json("The incidents, latest start first", z.array(Incident)), ...USER_ERRORS },
    }),
    async (c) => {
      const { limit, offset, cursor, ...filter } = c.req.valid("query");
      const page = { limit, offset, cursor };
      const { incidents, total } = await listMyIncidents(c.var.ctx, filter, page);
      setListHeaders(c, page, total, incidents.map(positionOf));
      return c.json(incidents.map(presentIncident), 200);
    },
  ),

  endpoint(
    { ...reads, ids: { params: { id: "page" }, query: { monitor_id: "monitor:see" } } },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/incidents",
      tags,
      summary: "List the incidents of a status page",
      request: { params: IdParam, query: IncidentListQuery },
      responses: { 200: json("The incidents, latest start first", z.array(Incident)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const { limit, offset, cursor, ...query } = c.req.valid("query");
      const page = { limit, offset, cursor };
      const filter = { ...query, status_page_id: c.req.valid("param").id };
      const { incidents, total } = await listMyIncidents(c.var.ctx, filter, page);
      setListHeaders(c, page, total, incidents.map(positionOf));
      return c.json(incidents.map(presentIncident), 200);
    },
  ),

  endpoint(
    { ...reads, ids: { params: { id: "page" } } },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/incidents/stats",
      tags,
      summary: "Get incident statistics of a status page",
      description:
        "Counts and mean times to acknowledge and to resolve, by calendar month of the page's time zone and by severity.",
      request: {
        params: IdParam,
        query: z.object({ months: z.coerce.number().int().min(1).max(MONTHS_MAX).default(12) }),
      },
      responses: { 200: json("The statistics", IncidentStats), ...OBJECT_ERRORS },
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
        "The incident stays internal until it is published, by is_public or later. 409 while the page's incident_system_enabled is false.",
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
      summary: "Update an incident",
      description:
        "Omitted fields keep their value; null clears them. The status may move in any direction: each move adds an update and sends incident.updated, or incident.resolved; the status that the incident already has changes nothing.",
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
      summary: "Delete an incident and its updates",
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
      summary: "Publish an incident",
      description: "Sends incident.updated. Publishing a published incident changes nothing.",
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
      summary: "Unpublish an incident",
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
      summary: "Acknowledge an incident",
      description: "The first acknowledgement is recorded; a repeat changes nothing.",
      request: { params: IdParam },
      responses: one,
    }),
    async (c) => c.json(presentIncident(await acknowledgeIncident(c.var.ctx, c.req.valid("param").id)), 200),
  ),
];
