import { createRoute, z } from "@hono/zod-openapi";
import { InstantInput } from "../../contract/common.ts";
import {
  BulkResult,
  CheckReport,
  DryRunReport,
  MonitorClone,
  MonitorOrder,
  OrderResult,
} from "../../contract/monitor.ts";
import { MONITOR_STATUSES, MONITOR_TYPES } from "../../contract/monitor-values.ts";
import type { Position } from "../../contract/pagination.ts";
import type { ListedMonitor } from "../../data/monitor-settings/read.ts";
import { type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { LongListQuery, setListHeaders, severalOf } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { changeMonitors } from "./bulk.ts";
import { checkMonitor } from "./check.ts";
import { cloneMonitor } from "./clone.ts";
import { createMonitor } from "./create.ts";
import { dryRunChange, dryRunMonitor } from "./dry-run.ts";
import { gateCreation, gateDryRun, gateUpdate } from "./plan-gate.ts";
import { presentCheck, presentDryRun, presentMonitor, presentMonitors } from "./present.ts";
import { MonitorBody, MonitorBulkBody, MonitorCreateBody, MonitorUpdateBody } from "./schemas.ts";
import { getMonitor, listMyMonitors, orderMonitors, pauseMonitor, removeMonitor, resumeMonitor } from "./service.ts";
import { changeMonitor } from "./update.ts";
import type { MonitorDetail } from "./view.ts";

const tags = ["Monitors"];
const shared = { at: ["v1"], auth: "user", rate: "api" } as const;
const reads = { ...shared, permission: null, audit: null } satisfies EndpointPolicy;
const writes = { ...shared, permission: "monitors.write" } as const;
const named = { params: { id: "monitor" } } as const;
const NAMED_IN_BODY = {
  status_page_id: "page",
  group_id: "group",
  agent_id: "agent:see",
  "child_ids[]": "monitor",
  "depends_on[]": "monitor:see",
} as const;
/** The same of what a bulk update makes of each monitor. */
const NAMED_IN_CHANGES = {
  "changes.status_page_id": "page",
  "changes.group_id": "group",
  "changes.agent_id": "agent:see",
  "changes.child_ids[]": "monitor",
  "changes.depends_on[]": "monitor:see",
} as const;
const order = "In the order that was set, then by creation.";
const secrets = "Header values and passwords are masked as `***` without secrets.read; `***` sent back keeps them.";

const text = z.string().trim().min(1).max(200);
const MonitorFilters = LongListQuery.extend({
  status: severalOf(z.enum(MONITOR_STATUSES)),
  type: severalOf(z.enum(MONITOR_TYPES)),
  tag: severalOf(text),
  group_id: severalOf(z.uuid()),
  external_key: severalOf(text),
  q: text.optional().meta({ description: "name or target contains this text" }),
  certificate_expires_before: InstantInput.optional(),
  domain_expires_before: InstantInput.optional(),
});
const positionOf = ({ record }: MonitorDetail<ListedMonitor>): Position => [record.position, record.id];

export const endpoints = [
  endpoint(
    { ...reads, ids: { query: { status_page_id: "page", group_id: "group" } } },
    createRoute({
      method: "get",
      path: "/monitors",
      tags,
      summary: "List monitors",
      description: `Your monitors, or those of some status pages. ${order}`,
      request: { query: MonitorFilters.extend({ status_page_id: severalOf(z.uuid()) }) },
      responses: { 200: json("The monitors", z.array(MonitorBody)), ...USER_ERRORS },
    }),
    async (c) => {
      const { limit, offset, cursor, ...filter } = c.req.valid("query");
      const page = { limit, offset, cursor };
      // One page has an index of its own; whether the caller sees it was checked with the query.
      const onePage = filter.status_page_id?.length === 1 ? filter.status_page_id[0] : undefined;
      if (onePage !== undefined) delete filter.status_page_id;
      const { views, total } = await listMyMonitors(c.var.ctx, onePage, page, filter);
      setListHeaders(c, page, total, views.map(positionOf));
      return c.json(presentMonitors(views, c.var.now), 200);
    },
  ),

  endpoint(
    { ...reads, ids: { params: { id: "page" }, query: { group_id: "group" } } },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/monitors",
      tags,
      summary: "List the monitors of a status page",
      description: order,
      request: { params: IdParam, query: MonitorFilters },
      responses: { 200: json("The monitors", z.array(MonitorBody)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const { limit, offset, cursor, ...filter } = c.req.valid("query");
      const page = { limit, offset, cursor };
      const { views, total } = await listMyMonitors(c.var.ctx, c.req.valid("param").id, page, filter);
      setListHeaders(c, page, total, views.map(positionOf));
      return c.json(presentMonitors(views, c.var.now), 200);
    },
  ),

  endpoint(
    { ...writes, audit: "monitor.created", ids: { body: NAMED_IN_BODY }, plan: gateCreation },
    createRoute({
      method: "post",
      path: "/monitors",
      tags,
      summary: "Create a monitor",
      description: `It is checked at once. Private targets, and types that cannot be checked from the edge, need agent_id. ${secrets}`,
      request: { body: jsonBody(MonitorCreateBody) },
      responses: { 201: json("The monitor", MonitorBody), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json(presentMonitor(await createMonitor(c.var.ctx, c.req.valid("json")), c.var.now), 201),
  ),

  endpoint(
    {
      ...writes,
      rate: "check",
      audit: null,
      ids: { body: NAMED_IN_BODY },
      plan: async (ctx, body) => {
        await gateDryRun(ctx, body);
      },
    },
    createRoute({
      method: "post",
      path: "/monitors/test",
      tags,
      summary: "Test monitor settings without saving",
      description:
        "Accepts the body of a creation and checks its target once, from each of `regions`, or from where this request is served if there are none.",
      request: { body: jsonBody(MonitorCreateBody) },
      responses: { 200: json("The results of the check", DryRunReport), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json(presentDryRun(await dryRunMonitor(c.var.ctx, c.req.valid("json"))), 200),
  ),

  endpoint(
    {
      ...writes,
      rate: "check",
      audit: null,
      ids: { params: { id: "monitor" }, body: NAMED_IN_BODY },
      plan: gateUpdate,
    },
    createRoute({
      method: "post",
      path: "/monitors/{id}/test",
      tags,
      summary: "Test a change of a monitor without saving",
      description:
        "Accepts the body of an update and checks once what the monitor would be, as POST /monitors/test does. Stored secrets are used where the body omits or masks them.",
      request: { params: IdParam, body: jsonBody(MonitorUpdateBody) },
      responses: { 200: json("The results of the check", DryRunReport), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const found = await dryRunChange(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json(presentDryRun(found), 200);
    },
  ),

  endpoint(
    {
      ...writes,
      rate: "heavy",
      audit: "monitor.bulk_changed",
      ids: { body: { ...NAMED_IN_CHANGES, "filter.status_page_id": "page", "filter.status_page_id[]": "page" } },
    },
    createRoute({
      method: "post",
      path: "/monitors/bulk",
      tags,
      summary: "Pause, resume, delete or update up to 100 monitors",
      description:
        "Of these ids, or all that match a filter. Each monitor is decided by itself; failed lists those that were left as they were. An empty filter, or one that matches more than 100, is 400.",
      request: { body: jsonBody(MonitorBulkBody) },
      responses: { 200: json("What was changed", BulkResult), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json(await changeMonitors(c.var.ctx, c.req.valid("json")), 200),
  ),

  endpoint(
    {
      ...writes,
      audit: "monitor.created",
      ids: { params: { id: "monitor" }, body: { status_page_id: "page" } },
    },
    createRoute({
      method: "post",
      path: "/monitors/{id}/clone",
      tags,
      summary: "Clone a monitor",
      description:
        "Copies its settings, secrets included. external_key, child_ids, muted_until and push credentials stay with the original.",
      request: { params: IdParam, body: jsonBody(MonitorClone) },
      responses: { 201: json("The new monitor", MonitorBody), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const view = await cloneMonitor(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json(presentMonitor(view, c.var.now), 201);
    },
  ),

  // Before the addresses with an id, which `order` would be taken for.
  endpoint(
    { ...writes, audit: "monitor.ordered", ids: { body: { "monitors[].id": "monitor" } } },
    createRoute({
      method: "put",
      path: "/monitors/order",
      tags,
      summary: "Set the order of monitors",
      request: { body: jsonBody(MonitorOrder) },
      responses: { 200: json("Number of placed entries", OrderResult), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json({ updated: await orderMonitors(c.var.ctx, c.req.valid("json").monitors) }, 200),
  ),

  endpoint(
    { ...reads, ids: { params: { id: "monitor:see" } } },
    createRoute({
      method: "get",
      path: "/monitors/{id}",
      tags,
      summary: "Get a monitor",
      description: secrets,
      request: { params: IdParam },
      responses: { 200: json("The monitor", MonitorBody), ...OBJECT_ERRORS },
    }),
    async (c) => c.json(presentMonitor(await getMonitor(c.var.ctx, c.req.valid("param").id), c.var.now), 200),
  ),

  endpoint(
    {
      ...writes,
      audit: "monitor.updated",
      ids: { params: { id: "monitor" }, body: NAMED_IN_BODY },
      plan: gateUpdate,
    },
    createRoute({
      method: "put",
      path: "/monitors/{id}",
      tags,
      summary: "Update a monitor",
      description: `Omitted fields keep their value; null restores the default. ${secrets}`,
      request: { params: IdParam, body: jsonBody(MonitorUpdateBody) },
      responses: { 200: json("The monitor", MonitorBody), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const view = await changeMonitor(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json(presentMonitor(view, c.var.now), 200);
    },
  ),

  endpoint(
    { ...writes, audit: "monitor.deleted", ids: named },
    createRoute({
      method: "delete",
      path: "/monitors/{id}",
      tags,
      summary: "Delete a monitor with its history",
      description: "Child monitors of a deleted composite stay.",
      request: { params: IdParam },
      responses: { ...noContent, ...OBJECT_ERRORS, 409: BODY_ERRORS[409] },
    }),
    async (c) => {
      await removeMonitor(c.var.ctx, c.req.valid("param").id);
      return c.body(null, 204);
    },
  ),

  endpoint(
    { ...writes, audit: "monitor.paused", ids: named },
    createRoute({
      method: "post",
      path: "/monitors/{id}/pause",
      tags,
      summary: "Pause a monitor",
      description: "No checks and no alerts until it is resumed.",
      request: { params: IdParam },
      responses: { 200: json("The monitor", MonitorBody), ...OBJECT_ERRORS, 409: BODY_ERRORS[409] },
    }),
    async (c) => c.json(presentMonitor(await pauseMonitor(c.var.ctx, c.req.valid("param").id), c.var.now), 200),
  ),

  endpoint(
    { ...writes, audit: "monitor.resumed", ids: named },
    createRoute({
      method: "post",
      path: "/monitors/{id}/resume",
      tags,
      summary: "Resume a monitor, and check it at once",
      request: { params: IdParam },
      responses: { 200: json("The monitor", MonitorBody), ...OBJECT_ERRORS, 409: BODY_ERRORS[409] },
    }),
    async (c) => c.json(presentMonitor(await resumeMonitor(c.var.ctx, c.req.valid("param").id), c.var.now), 200),
  ),

  endpoint(
    { ...writes, rate: "check", audit: "monitor.checked", ids: named },
    createRoute({
      method: "post",
      path: "/monitors/{id}/check",
      tags,
      summary: "Check a monitor now",
      description:
        "Counts like a scheduled check. 409 for a paused monitor. With several regions the response is the result of the first region; the other regions check at once, too, and the round decides. A monitor of an agent is checked by its agent, for up to 20 seconds; the status is unknown when the agent is offline or late, and a late result still counts.",
      request: { params: IdParam },
      responses: { 200: json("The result of the check", CheckReport), ...OBJECT_ERRORS, 409: BODY_ERRORS[409] },
    }),
    async (c) => c.json(presentCheck(await checkMonitor(c.var.ctx, c.req.valid("param").id)), 200),
  ),
];
