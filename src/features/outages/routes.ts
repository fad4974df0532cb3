import { createRoute, z } from "@hono/zod-openapi";
import { LocationEvidence } from "../../contract/observation.ts";
import { Outage, StatusChange, TimeRangeQuery } from "../../contract/outage.ts";
import { type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { LongListQuery, setListHeaders } from "../../http/lists.ts";
import { IdParam, json, OBJECT_ERRORS } from "../../http/responses.ts";
import { positionOfChange, positionOfOutage, presentObserved, presentOutage, presentStatusChange } from "./present.ts";
import { listEvidence, listMonitorOutages, listPageOutages, listStatusChanges } from "./service.ts";

const reads = { at: ["v1"], auth: "user", permission: "page.read", audit: null, rate: "api" } satisfies EndpointPolicy;
const query = LongListQuery.extend(TimeRangeQuery.shape);
const overlapping = "Those that overlap the range, as far back as the plan keeps history. Counting stops at 10,000.";

export const endpoints = [
  endpoint(
    { ...reads, ids: { params: { id: "monitor" } } },
    createRoute({
      method: "get",
      path: "/monitors/{id}/outages",
      tags: ["Monitors"],
      summary: "List the outages of a monitor",
      description: overlapping,
      request: { params: IdParam, query },
      responses: { 200: json("Outages, the latest first", z.array(Outage)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const wanted = c.req.valid("query");
      const { rows, total } = await listMonitorOutages(c.var.ctx, c.req.valid("param").id, wanted);
      setListHeaders(c, wanted, total, rows.map(positionOfOutage));
      return c.json(
        rows.map((found) => presentOutage(found, c.var.now)),
        200,
      );
    },
  ),

  endpoint(
    { ...reads, ids: { params: { id: "page" } } },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/outages",
      tags: ["Status pages"],
      summary: "List the outages of a status page",
      description: `${overlapping} Of the monitors that are on the page, each outage that began there.`,
      request: { params: IdParam, query },
      responses: { 200: json("Outages, the latest first", z.array(Outage)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const wanted = c.req.valid("query");
      const { rows, total } = await listPageOutages(c.var.ctx, c.req.valid("param").id, wanted);
      setListHeaders(c, wanted, total, rows.map(positionOfOutage));
      return c.json(
        rows.map((found) => presentOutage(found, c.var.now)),
        200,
      );
    },
  ),

  endpoint(
    { ...reads, ids: { params: { id: "monitor" } } },
    createRoute({
      method: "get",
      path: "/monitors/{id}/evidence",
      tags: ["Monitors"],
      summary: "Get what each location saw when a monitor failed and recovered",
      description:
        "Of each location in the range the first failure and the first success after it, and the last good one before " +
        "the range to compare with; oldest first. Secrets of the request are masked, and what an agent saw inside of a " +
        "network is left out for those who may not read secrets. The newest 200 of a monitor are kept.",
      request: { params: IdParam, query: TimeRangeQuery },
      responses: { 200: json("By location, oldest first", z.array(LocationEvidence)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const found = await listEvidence(c.var.ctx, c.req.valid("param").id, c.req.valid("query"));
      return c.json(found.map(presentObserved), 200);
    },
  ),

  endpoint(
    { ...reads, ids: { params: { id: "monitor" } } },
    createRoute({
      method: "get",
      path: "/monitors/{id}/events",
      tags: ["Monitors"],
      summary: "List every change of a monitor's status",
      description: "As far back as the plan keeps history. X-Total-Count stops counting at 10,000.",
      request: { params: IdParam, query },
      responses: { 200: json("Changes, the latest first", z.array(StatusChange)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const wanted = c.req.valid("query");
      const { rows, total } = await listStatusChanges(c.var.ctx, c.req.valid("param").id, wanted);
      setListHeaders(c, wanted, total, rows.map(positionOfChange));
      return c.json(rows.map(presentStatusChange), 200);
    },
  ),
];
