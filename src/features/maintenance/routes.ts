import { createRoute, z } from "@hono/zod-openapi";
import { InstantInput } from "../../contract/common.ts";
import {
  MAINTENANCE_STATUSES,
  Maintenance,
  MaintenanceChange,
  MaintenanceCreate,
  OccurrenceParams,
} from "../../contract/maintenance.ts";
import type { Position } from "../../contract/pagination.ts";
import type { MaintenanceDetail } from "../../data/maintenance/list.ts";
import { type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { LongListQuery, setListHeaders, severalOf } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { cancelOccurrence, completeMaintenance } from "./occurrences.ts";
import { presentMaintenance } from "./present.ts";
import {
  changeMaintenance,
  createMaintenance,
  getMaintenance,
  listMyMaintenance,
  removeMaintenance,
} from "./service.ts";

const tags = ["Maintenance"];
const reads = {
  at: ["v1"],
  auth: "user",
  rate: "api",
  permission: null,
  audit: null,
} as const satisfies EndpointPolicy;
const writes = { at: ["v1"], auth: "user", rate: "api", permission: "maintenance.write" } as const;
const named = { id: "maintenance" } as const;
const one = { 200: json("The window", Maintenance), ...OBJECT_ERRORS };
const Filters = LongListQuery.extend({
  status: severalOf(z.enum(MAINTENANCE_STATUSES)),
  from: InstantInput.optional().meta({
    description: "the occurrence in progress or to come, else the first one, starts at or after",
  }),
  to: InstantInput.optional().meta({ description: "likewise, starts before" }),
});
const positionOf = ({ start_time, id }: MaintenanceDetail): Position => [start_time, id];
const RULES = [
  "A recurring window keeps the time of day of start_time in the page's time zone: a time that a clock change skips moves forward by the gap, an ambiguous time is the first of the two; day 29 to 31 of a shorter month is its last day.",
  "With a weekday or day of month that start_time does not have, the first occurrence is the first such day after it.",
  "During a window, public or private, alerts and automatic incidents of its targets are suppressed; for a monitor that is still down at the end, the alert is sent then.",
].join(" ");

export const endpoints = [
  endpoint(
    { ...reads, ids: { query: { status_page_id: "page" } } },
    createRoute({
      method: "get",
      path: "/maintenance",
      tags,
      summary: "List maintenance windows",
      description: "Windows of all your status pages, or of one.",
      request: { query: Filters.extend({ status_page_id: z.uuid().optional() }) },
      responses: { 200: json("The windows, latest start first", z.array(Maintenance)), ...USER_ERRORS },
    }),
    async (c) => {
      const { limit, offset, cursor, ...filter } = c.req.valid("query");
      const page = { limit, offset, cursor };
      const { windows, total } = await listMyMaintenance(c.var.ctx, filter, page);
      setListHeaders(c, page, total, windows.map(positionOf));
      return c.json(
        windows.map((window) => presentMaintenance(window, c.var.now)),
        200,
      );
    },
  ),

  endpoint(
    { ...reads, ids: { params: { id: "page" } } },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/maintenance",
      tags,
      summary: "List the maintenance windows of a status page",
      request: { params: IdParam, query: Filters },
      responses: { 200: json("The windows, latest start first", z.array(Maintenance)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const { limit, offset, cursor, ...query } = c.req.valid("query");
      const page = { limit, offset, cursor };
      const filter = { ...query, status_page_id: c.req.valid("param").id };
      const { windows, total } = await listMyMaintenance(c.var.ctx, filter, page);
      setListHeaders(c, page, total, windows.map(positionOf));
      return c.json(
        windows.map((window) => presentMaintenance(window, c.var.now)),
        200,
      );
    },
  ),

  endpoint(
    { ...writes, audit: "maintenance.created", ids: { body: { status_page_id: "page" } } },
    createRoute({
      method: "post",
      path: "/maintenance",
      tags,
      summary: "Create a maintenance window",
      description: RULES,
      request: { body: jsonBody(MaintenanceCreate) },
      responses: { 201: json("The window", Maintenance), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const window = await createMaintenance(c.var.ctx, c.req.valid("json"));
      return c.json(presentMaintenance(window, c.var.now), 201);
    },
  ),

  endpoint(
    { ...reads, ids: { params: named } },
    createRoute({
      method: "get",
      path: "/maintenance/{id}",
      tags,
      summary: "Get a maintenance window",
      request: { params: IdParam },
      responses: one,
    }),
    async (c) => {
      const window = await getMaintenance(c.var.ctx, c.req.valid("param").id);
      return c.json(presentMaintenance(window, c.var.now), 200);
    },
  ),

  endpoint(
    { ...writes, audit: "maintenance.updated", ids: { params: named } },
    createRoute({
      method: "put",
      path: "/maintenance/{id}",
      tags,
      summary: "Update a maintenance window",
      description: `Omitted fields keep their value; null restores the default. A new schedule clears cancelled occurrences. ${RULES}`,
      request: { params: IdParam, body: jsonBody(MaintenanceChange) },
      responses: { ...one, ...BODY_ERRORS },
    }),
    async (c) => {
      const window = await changeMaintenance(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json(presentMaintenance(window, c.var.now), 200);
    },
  ),

  endpoint(
    { ...writes, audit: "maintenance.deleted", ids: { params: named } },
    createRoute({
      method: "delete",
      path: "/maintenance/{id}",
      tags,
      summary: "Delete a maintenance window",
      request: { params: IdParam },
      responses: { ...noContent, ...OBJECT_ERRORS },
    }),
    async (c) => {
      await removeMaintenance(c.var.ctx, c.req.valid("param").id);
      return c.body(null, 204);
    },
  ),

  endpoint(
    { ...writes, audit: "maintenance.completed", ids: { params: named } },
    createRoute({
      method: "post",
      path: "/maintenance/{id}/complete",
      tags,
      summary: "End the occurrence in progress now",
      description: "Later occurrences of a recurring window stay scheduled. 409 when none is in progress.",
      request: { params: IdParam },
      responses: one,
    }),
    async (c) => {
      const window = await completeMaintenance(c.var.ctx, c.req.valid("param").id);
      return c.json(presentMaintenance(window, c.var.now), 200);
    },
  ),

  endpoint(
    { ...writes, audit: "maintenance.occurrence_cancelled", ids: { params: named } },
    createRoute({
      method: "post",
      path: "/maintenance/{id}/occurrences/{start}/cancel",
      tags,
      summary: "Cancel a future occurrence",
      description: "`start` is the start of the occurrence as next_occurrence states it.",
      request: { params: OccurrenceParams },
      responses: one,
    }),
    async (c) => {
      const { id, start } = c.req.valid("param");
      const window = await cancelOccurrence(c.var.ctx, id, Date.parse(start));
      return c.json(presentMaintenance(window, c.var.now), 200);
    },
  ),
];
