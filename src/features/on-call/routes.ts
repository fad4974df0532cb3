import { createRoute, z } from "@hono/zod-openapi";
import { NAMED_TARGETS } from "../../access/alert-targets.ts";
import type { RequestScope } from "../../access/scope.ts";
import {
  ActiveOnCall,
  ActivePolicyChange,
  EscalationPolicy,
  EscalationPolicyChange,
  EscalationPolicyCreate,
  OnCallSchedule,
  OnCallScheduleChange,
  OnCallScheduleCreate,
} from "../../contract/on-call.ts";
import { type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { ListQuery, setListHeaders } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS } from "../../http/responses.ts";
import {
  activatePolicy,
  changePolicy,
  createPolicy,
  deactivatePolicy,
  findShownActivePolicy,
  listPolicies,
  removePolicy,
} from "./policies.ts";
import { presentOnCall, presentPolicy, presentSchedule } from "./present.ts";
import {
  changeSchedule,
  createSchedule,
  listSchedules,
  readSchedule,
  removeSchedule,
  SCHEDULES_MAX,
} from "./schedules.ts";

const tags = ["On-call"];
const shared = { at: ["v1"], auth: "user", rate: "api" } as const;
const reads = { ...shared, permission: null, audit: null } as const;
const writes = { ...shared, permission: "oncall.write" } as const;
const ofPage = { ids: { params: { id: "page" } } } as const satisfies Partial<EndpointPolicy>;
const ofPolicy = {
  ids: { params: { id: "page", policy_id: "escalation policy" } },
} as const satisfies Partial<EndpointPolicy>;
const ofSchedule = {
  ids: { params: { id: "page", schedule_id: "on-call schedule" } },
} as const satisfies Partial<EndpointPolicy>;
const PolicyParams = IdParam.extend({ policy_id: z.uuid() });
const ScheduleParams = IdParam.extend({ schedule_id: z.uuid() });

async function readOnCall(ctx: RequestScope, pageId: string) {
  const { rows: schedules } = await listSchedules(ctx, [pageId], { limit: SCHEDULES_MAX, offset: 0 });
  return presentOnCall({ active: await findShownActivePolicy(ctx, pageId), schedules }, ctx.now);
}

export const endpoints = [
  endpoint(
    { ...reads, ...ofPage },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/on-call",
      tags,
      summary: "Get who is on call for a status page",
      request: { params: IdParam },
      responses: { 200: json("The active policy and who is on call now", ActiveOnCall), ...OBJECT_ERRORS },
    }),
    async (c) => {
      return c.json(await readOnCall(c.var.ctx, c.req.valid("param").id), 200);
    },
  ),

  endpoint(
    { ...writes, audit: "on_call.updated", ids: { params: { id: "page" }, body: { policy_id: "escalation policy" } } },
    createRoute({
      method: "put",
      path: "/status-pages/{id}/on-call",
      tags,
      summary: "Set the active escalation policy of a status page",
      request: { params: IdParam, body: jsonBody(ActivePolicyChange) },
      responses: {
        200: json("The active policy and who is on call now", ActiveOnCall),
        ...OBJECT_ERRORS,
        ...BODY_ERRORS,
      },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      await activatePolicy(c.var.ctx, { id, policy_id: c.req.valid("json").policy_id });
      return c.json(await readOnCall(c.var.ctx, id), 200);
    },
  ),

  endpoint(
    { ...writes, ...ofPage, audit: "on_call.deleted" },
    createRoute({
      method: "delete",
      path: "/status-pages/{id}/on-call",
      tags,
      summary: "Deactivate the escalation policy of a status page",
      request: { params: IdParam },
      responses: { ...noContent, ...OBJECT_ERRORS },
    }),
    async (c) => {
      await deactivatePolicy(c.var.ctx, c.req.valid("param").id);
      return c.body(null, 204);
    },
  ),

  endpoint(
    { ...reads, ...ofPage },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/on-call/policies",
      tags,
      summary: "List the escalation policies of a status page",
      request: { params: IdParam, query: ListQuery },
      responses: { 200: json("The policies, by name", z.array(EscalationPolicy)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const pagination = c.req.valid("query");
      const { rows, total } = await listPolicies(c.var.ctx, [c.req.valid("param").id], pagination);
      setListHeaders(c, pagination, total);
      return c.json(rows.map(presentPolicy), 200);
    },
  ),

  endpoint(
    { ...writes, ids: { ...ofPage.ids, body: NAMED_TARGETS }, audit: "escalation_policy.created" },
    createRoute({
      method: "post",
      path: "/status-pages/{id}/on-call/policies",
      tags,
      summary: "Create an escalation policy",
      description:
        "Steps are notified in the order of level: the first at once, each further one wait_minutes after the one before.",
      request: { params: IdParam, body: jsonBody(EscalationPolicyCreate) },
      responses: { 201: json("The policy", EscalationPolicy), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const policy = await createPolicy(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json(presentPolicy(policy), 201);
    },
  ),

  endpoint(
    { ...writes, ids: { ...ofPolicy.ids, body: NAMED_TARGETS }, audit: "escalation_policy.updated" },
    createRoute({
      method: "put",
      path: "/status-pages/{id}/on-call/policies/{policy_id}",
      tags,
      summary: "Update an escalation policy",
      description: "Omitted fields keep their value; null restores the default.",
      request: { params: PolicyParams, body: jsonBody(EscalationPolicyChange) },
      responses: { 200: json("The policy", EscalationPolicy), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const policy = await changePolicy(c.var.ctx, c.req.valid("param"), c.req.valid("json"));
      return c.json(presentPolicy(policy), 200);
    },
  ),

  endpoint(
    { ...writes, ...ofPolicy, audit: "escalation_policy.deleted" },
    createRoute({
      method: "delete",
      path: "/status-pages/{id}/on-call/policies/{policy_id}",
      tags,
      summary: "Delete an escalation policy",
      request: { params: PolicyParams },
      responses: { ...noContent, ...OBJECT_ERRORS },
    }),
    async (c) => {
      await removePolicy(c.var.ctx, c.req.valid("param"));
      return c.body(null, 204);
    },
  ),

  endpoint(
    { ...reads, ...ofPage },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/on-call/schedules",
      tags,
      summary: "List the on-call schedules of a status page",
      request: { params: IdParam, query: ListQuery },
      responses: { 200: json("The schedules, by name", z.array(OnCallSchedule)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const { ctx } = c.var;
      const pagination = c.req.valid("query");
      const { rows, total } = await listSchedules(ctx, [c.req.valid("param").id], pagination);
      setListHeaders(c, pagination, total);
      return c.json(
        rows.map((schedule) => presentSchedule(schedule, ctx.now)),
        200,
      );
    },
  ),

  endpoint(
    { ...writes, ...ofPage, audit: "on_call_schedule.created" },
    createRoute({
      method: "post",
      path: "/status-pages/{id}/on-call/schedules",
      tags,
      summary: "Create an on-call schedule",
      description:
        "A schedule has shifts or one rotation, not both; overrides take precedence over either. All spans are half-open.",
      request: { params: IdParam, body: jsonBody(OnCallScheduleCreate) },
      responses: { 201: json("The schedule", OnCallSchedule), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const { ctx } = c.var;
      const schedule = await createSchedule(ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json(presentSchedule(schedule, ctx.now), 201);
    },
  ),

  endpoint(
    { ...reads, ...ofSchedule },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/on-call/schedules/{schedule_id}",
      tags,
      summary: "Get an on-call schedule",
      request: { params: ScheduleParams },
      responses: { 200: json("The schedule", OnCallSchedule), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const { ctx } = c.var;
      return c.json(presentSchedule(await readSchedule(ctx, c.req.valid("param")), ctx.now), 200);
    },
  ),

  endpoint(
    { ...writes, ...ofSchedule, audit: "on_call_schedule.updated" },
    createRoute({
      method: "put",
      path: "/status-pages/{id}/on-call/schedules/{schedule_id}",
      tags,
      summary: "Update an on-call schedule",
      description: "Omitted fields keep their value; null clears a list or restores the default.",
      request: { params: ScheduleParams, body: jsonBody(OnCallScheduleChange) },
      responses: { 200: json("The schedule", OnCallSchedule), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const { ctx } = c.var;
      const schedule = await changeSchedule(ctx, c.req.valid("param"), c.req.valid("json"));
      return c.json(presentSchedule(schedule, ctx.now), 200);
    },
  ),

  endpoint(
    { ...writes, ...ofSchedule, audit: "on_call_schedule.deleted" },
    createRoute({
      method: "delete",
      path: "/status-pages/{id}/on-call/schedules/{schedule_id}",
      tags,
      summary: "Delete an on-call schedule",
      description: "409 in_use while an escalation policy names the schedule.",
      request: { params: ScheduleParams },
      responses: { ...noContent, ...OBJECT_ERRORS, 409: BODY_ERRORS[409] },
    }),
    async (c) => {
      await removeSchedule(c.var.ctx, c.req.valid("param"));
      return c.body(null, 204);
    },
  ),
];
