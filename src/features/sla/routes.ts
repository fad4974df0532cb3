import { createRoute, z } from "@hono/zod-openapi";
import {
  AssignedSlaPolicy,
  SlaAssignment,
  SlaExportQuery,
  SlaHistory,
  SlaPolicy,
  SlaPolicyCreate,
  SlaPolicyUpdate,
  SlaQuery,
  SlaSummary,
  SlaTargets,
} from "../../contract/sla.ts";
import { endpoint } from "../../http/endpoint.ts";
import { ListQuery, setListHeaders } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { exportSla } from "./export.ts";
import { changePolicy, createPolicy, listPolicies, removePolicy } from "./policies.ts";
import { presentHistory, presentPolicy, presentSummary, presentTargets } from "./present.ts";
import {
  assignPolicy,
  getAssignedPolicy,
  getPolicy,
  getTargets,
  measureSla,
  measureSlaHistory,
  setTargets,
} from "./service.ts";

const tags = ["SLA"];
const shared = { at: ["v1"], auth: "user", rate: "api" } as const;
const page = { params: { id: "page" } } as const;
const own = { params: { id: "sla_policy:own" } } as const;
const File = z.string().meta({ format: "binary" });

export const endpoints = [
  endpoint(
    { ...shared, permission: "page.read", audit: null, rate: "heavy", ids: page },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/sla",
      tags,
      summary: "Get the SLA summary",
      description:
        "Computed from the exact status history. Unknown, pending and paused time does not count, nor does maintenance where the policy excludes it. Without period and from: the period of the page's policy, else 30 days. The target of a monitor is its own, else the page's, else the policy's, else 99.9. The total is the sum over the monitors; a composite stands for its child monitors.",
      request: { params: IdParam, query: SlaQuery },
      responses: { 200: json("The SLA summary", SlaSummary), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const measured = await measureSla(c.var.ctx, c.req.valid("param").id, c.req.valid("query"));
      return c.json(presentSummary(measured), 200);
    },
  ),

  endpoint(
    { ...shared, permission: "page.read", audit: null, rate: "heavy", ids: page },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/sla/history",
      tags,
      summary: "Get the course of the SLA over a period",
      description: "The uptime of the page as a whole in each step of the period, by the same rules as the summary.",
      request: { params: IdParam, query: SlaQuery },
      responses: { 200: json("The steps, oldest first", SlaHistory), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const measured = await measureSlaHistory(c.var.ctx, c.req.valid("param").id, c.req.valid("query"));
      return c.json(presentHistory(measured), 200);
    },
  ),

  endpoint(
    { ...shared, permission: "page.read", audit: null, rate: "heavy", ids: page },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/sla/export",
      tags,
      summary: "Export the SLA report",
      description:
        "CSV for spreadsheets, JSON like the summary, or PDF. The PDF shows the page's logo if it is a PNG or JPEG of at most 1 MiB that is fetched within three seconds.",
      request: { params: IdParam, query: SlaExportQuery },
      responses: {
        200: {
          description: "The file, as an attachment",
          content: {
            "text/csv": { schema: z.string() },
            "application/json": { schema: SlaSummary },
            "application/pdf": { schema: File },
          },
        },
        ...OBJECT_ERRORS,
      },
    }),
    async (c) => {
      const { format, ...query } = c.req.valid("query");
      const measured = await measureSla(c.var.ctx, c.req.valid("param").id, query);
      return exportSla(c.var.ctx, measured, format);
    },
  ),

  endpoint(
    { ...shared, permission: "page.read", audit: null, ids: page },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/sla-targets",
      tags,
      summary: "Get the SLA targets of a status page",
      request: { params: IdParam },
      responses: { 200: json("The page's own target first", SlaTargets), ...OBJECT_ERRORS },
    }),
    async (c) => c.json(presentTargets(await getTargets(c.var.ctx, c.req.valid("param").id)), 200),
  ),

  endpoint(
    {
      ...shared,
      permission: "sla.write",
      audit: "sla_targets.updated",
      ids: { ...page, body: { "targets[].monitor_id": "monitor" } },
    },
    createRoute({
      method: "put",
      path: "/status-pages/{id}/sla-targets",
      tags,
      summary: "Set the SLA targets of a status page",
      description:
        "Replaces all targets. A target without monitor_id applies to the page and to all monitors without their own.",
      request: { params: IdParam, body: jsonBody(SlaTargets) },
      responses: { 200: json("The targets", SlaTargets), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json(presentTargets(await setTargets(c.var.ctx, c.req.valid("param").id, c.req.valid("json"))), 200),
  ),

  endpoint(
    { ...shared, permission: "page.read", audit: null, ids: page },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/sla-policy",
      tags,
      summary: "Get the SLA policy of a status page",
      request: { params: IdParam },
      responses: { 200: json("The policy, or null", AssignedSlaPolicy), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const assigned = await getAssignedPolicy(c.var.ctx, c.req.valid("param").id);
      return c.json({ policy: assigned && presentPolicy(assigned) }, 200);
    },
  ),

  // Choice: what is promised is a setting of the page. Editors, who have sla.write, decide on targets only.
  endpoint(
    {
      ...shared,
      permission: "page.write",
      audit: "sla_policy.assigned",
      ids: { ...page, body: { policy_id: "sla_policy" } },
    },
    createRoute({
      method: "put",
      path: "/status-pages/{id}/sla-policy",
      tags,
      summary: "Set the SLA policy of a status page",
      description: "One of the page's owner, or one of your own. null removes it.",
      request: { params: IdParam, body: jsonBody(SlaAssignment) },
      responses: { 200: json("The policy, or null", AssignedSlaPolicy), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const assigned = await assignPolicy(c.var.ctx, c.req.valid("param").id, c.req.valid("json").policy_id);
      return c.json({ policy: assigned && presentPolicy(assigned) }, 200);
    },
  ),

  endpoint(
    { ...shared, permission: "page.write", audit: null, ids: { query: { status_page_id: "page" } }, token: "account" },
    createRoute({
      method: "get",
      path: "/sla-policies",
      tags,
      summary: "List SLA policies",
      description:
        "Your own; with status_page_id those of that page's owner, for members who may set the page's policy.",
      request: { query: ListQuery.extend({ status_page_id: z.uuid().optional() }) },
      responses: { 200: json("The policies, oldest first", z.array(SlaPolicy)), ...USER_ERRORS },
    }),
    async (c) => {
      const query = c.req.valid("query");
      const { rows, total } = await listPolicies(c.var.ctx, query);
      setListHeaders(c, query, total);
      return c.json(rows.map(presentPolicy), 200);
    },
  ),

  endpoint(
    { ...shared, permission: null, audit: "sla_policy.created", token: "sla.write" },
    createRoute({
      method: "post",
      path: "/sla-policies",
      tags,
      summary: "Create an SLA policy",
      request: { body: jsonBody(SlaPolicyCreate) },
      responses: { 201: json("The policy", SlaPolicy), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json(presentPolicy(await createPolicy(c.var.ctx, c.req.valid("json"))), 201),
  ),

  endpoint(
    { ...shared, permission: "page.write", audit: null, ids: { params: { id: "sla_policy" } } },
    createRoute({
      method: "get",
      path: "/sla-policies/{id}",
      tags,
      summary: "Get an SLA policy",
      description: "One of your own, or of the owner of a page whose policy you may set.",
      request: { params: IdParam },
      responses: { 200: json("The policy", SlaPolicy), ...OBJECT_ERRORS },
    }),
    async (c) => c.json(presentPolicy(await getPolicy(c.var.ctx, c.req.valid("param").id)), 200),
  ),

  endpoint(
    { ...shared, permission: null, audit: "sla_policy.updated", ids: own, token: "sla.write" },
    createRoute({
      method: "put",
      path: "/sla-policies/{id}",
      tags,
      summary: "Update an SLA policy",
      description: "Omitted fields keep their value; null restores the default.",
      request: { params: IdParam, body: jsonBody(SlaPolicyUpdate) },
      responses: { 200: json("The policy", SlaPolicy), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) =>
      c.json(presentPolicy(await changePolicy(c.var.ctx, c.req.valid("param").id, c.req.valid("json"))), 200),
  ),

  endpoint(
    { ...shared, permission: null, audit: "sla_policy.deleted", ids: own, token: "sla.write" },
    createRoute({
      method: "delete",
      path: "/sla-policies/{id}",
      tags,
      summary: "Delete an SLA policy",
      description: "Status pages with this policy have none afterwards.",
      request: { params: IdParam },
      responses: { ...noContent, ...OBJECT_ERRORS },
    }),
    async (c) => {
      await removePolicy(c.var.ctx, c.req.valid("param").id);
      return c.body(null, 204);
    },
  ),
];
