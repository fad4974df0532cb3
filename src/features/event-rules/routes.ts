import { createRoute, z } from "@hono/zod-openapi";
import {
  BacktestQuery,
  BacktestResult,
  EventRule,
  EventRuleChange,
  EventRuleCreate,
  EventRuleExportQuery,
  EventRuleFile,
  EventRuleImport,
  EventRulesImported,
  EventRuleTest,
  EventRuleTestResult,
  EventRuleVersion,
} from "../../contract/event-rule.ts";
import { type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { ListQuery, setListHeaders } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS } from "../../http/responses.ts";
import { presentBacktest, presentRule, presentTest, presentVersion } from "./present.ts";
import { backtestRule, testRule } from "./replay.ts";
import { changeRule, createRule, listRules, listVersions, removeRule, restoreVersion } from "./service.ts";
import { exportPageRules, importRules } from "./transfer.ts";

const tags = ["Event rules"];
const shared = { at: ["v1", "v2"], auth: "user", rate: "api" } as const;
const writes = { ...shared, permission: "events.write" } as const;
const ofPage = { ids: { params: { id: "page" } } } as const satisfies Partial<EndpointPolicy>;
const ofRule = { ids: { params: { id: "page", rule_id: "event rule" } } } as const satisfies Partial<EndpointPolicy>;
const RuleParams = IdParam.extend({ rule_id: z.uuid() });
const VersionParams = RuleParams.extend({ version: z.coerce.number().int().min(1) });
const IMPORT_BYTES_MAX = 256 * 1024;

export const endpoints = [
  endpoint(
    { ...shared, ...ofPage, permission: null, audit: null },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/events/rules",
      tags,
      summary: "List the event rules of a status page",
      description: "alert_channels are masked without alerting.write.",
      request: { params: IdParam, query: ListQuery },
      responses: { 200: json("The rules, oldest first", z.array(EventRule)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const pagination = c.req.valid("query");
      const { rows, total } = await listRules(c.var.ctx, [c.req.valid("param").id], pagination);
      setListHeaders(c, pagination, total);
      return c.json(rows.map(presentRule), 200);
    },
  ),

  endpoint(
    { ...writes, ...ofPage, audit: "event_rule.created" },
    createRoute({
      method: "post",
      path: "/status-pages/{id}/events/rules",
      tags,
      summary: "Create an event rule",
      description:
        "With the name of an event of the service the rule listens to it; with any other name it is evaluated when metrics arrive (if it has conditions) and when that event is emitted with evaluate_rules, and firing emits it.",
      request: { params: IdParam, body: jsonBody(EventRuleCreate) },
      responses: { 201: json("The rule", EventRule), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const rule = await createRule(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json(presentRule(rule), 201);
    },
  ),

  endpoint(
    { ...shared, ...ofPage, permission: null, audit: null },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/events/rules/export",
      tags,
      summary: "Export the event rules of a status page",
      description: "alert_channels are masked without alerting.write.",
      request: { params: IdParam, query: EventRuleExportQuery },
      responses: {
        200: {
          description: "The file, as an attachment",
          content: { "application/json": { schema: EventRuleFile }, "application/yaml": { schema: z.string() } },
        },
        ...OBJECT_ERRORS,
      },
    }),
    async (c) => exportPageRules(c.var.ctx, c.req.valid("param").id, c.req.valid("query").format),
  ),

  endpoint(
    { ...writes, ...ofPage, audit: "event_rules.imported", bodyBytesMax: IMPORT_BYTES_MAX, acceptsYaml: true },
    createRoute({
      method: "post",
      path: "/status-pages/{id}/events/rules/import",
      tags,
      summary: "Import event rules",
      description: "Creates all rules of a JSON or YAML file, as an export writes it, or none.",
      request: {
        params: IdParam,
        body: {
          required: true,
          content: {
            "application/json": { schema: EventRuleImport },
            "application/yaml": { schema: EventRuleImport },
          },
        },
      },
      responses: {
        201: json("The rules, and what may be unintended", EventRulesImported),
        ...OBJECT_ERRORS,
        ...BODY_ERRORS,
      },
    }),
    async (c) => {
      const file = c.req.valid("json");
      const imported = await importRules(c.var.ctx, c.req.valid("param").id, file, await c.req.json());
      return c.json({ created: imported.created.map(presentRule), warnings: imported.warnings }, 201);
    },
  ),

  endpoint(
    { ...writes, ...ofRule, audit: "event_rule.updated" },
    createRoute({
      method: "put",
      path: "/status-pages/{id}/events/rules/{rule_id}",
      tags,
      summary: "Change an event rule",
      description:
        "Omitted fields keep their value; null restores the default. The rule before the change is kept as a version.",
      request: { params: RuleParams, body: jsonBody(EventRuleChange) },
      responses: { 200: json("The rule", EventRule), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const rule = await changeRule(c.var.ctx, c.req.valid("param"), c.req.valid("json"));
      return c.json(presentRule(rule), 200);
    },
  ),

  endpoint(
    { ...writes, ...ofRule, audit: "event_rule.deleted" },
    createRoute({
      method: "delete",
      path: "/status-pages/{id}/events/rules/{rule_id}",
      tags,
      summary: "Delete an event rule and its versions",
      request: { params: RuleParams },
      responses: { ...noContent, ...OBJECT_ERRORS },
    }),
    async (c) => {
      await removeRule(c.var.ctx, c.req.valid("param"));
      return c.body(null, 204);
    },
  ),

  endpoint(
    { ...writes, ids: { ...ofRule.ids, body: { monitor_id: "monitor:see" } }, audit: null },
    createRoute({
      method: "post",
      path: "/status-pages/{id}/events/rules/{rule_id}/test",
      tags,
      summary: "Test an event rule",
      description:
        "Evaluates the rule now, with the given metrics in place of measured ones. Nothing is sent or stored.",
      request: { params: RuleParams, body: jsonBody(EventRuleTest) },
      responses: { 200: json("Whether it would fire, and why", EventRuleTestResult), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json(presentTest(await testRule(c.var.ctx, c.req.valid("param"), c.req.valid("json"))), 200),
  ),

  endpoint(
    { ...writes, ids: { ...ofRule.ids, query: { monitor_id: "monitor:see" } }, audit: null, rate: "heavy" },
    createRoute({
      method: "post",
      path: "/status-pages/{id}/events/rules/{rule_id}/backtest",
      tags,
      summary: "Replay history through an event rule",
      description:
        "As if the rule had been enabled since the first day, with cooldown_seconds and max_fires_per_hour. Pushes are replayed as far as they are kept whole, host metrics for a day.",
      request: { params: RuleParams, query: BacktestQuery },
      responses: { 200: json("When it would have fired", BacktestResult), ...OBJECT_ERRORS },
    }),
    async (c) =>
      c.json(presentBacktest(await backtestRule(c.var.ctx, c.req.valid("param"), c.req.valid("query"))), 200),
  ),

  endpoint(
    { ...shared, ...ofRule, permission: null, audit: null },
    createRoute({
      method: "get",
      path: "/status-pages/{id}/events/rules/{rule_id}/versions",
      tags,
      summary: "List the versions of an event rule",
      description: "What the rule was before each of its last 50 changes.",
      request: { params: RuleParams, query: ListQuery },
      responses: { 200: json("The versions, newest first", z.array(EventRuleVersion)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const pagination = c.req.valid("query");
      const { rows, total } = await listVersions(c.var.ctx, c.req.valid("param"), pagination);
      setListHeaders(c, pagination, total);
      return c.json(rows.map(presentVersion), 200);
    },
  ),

  endpoint(
    { ...writes, ...ofRule, audit: "event_rule.restored" },
    createRoute({
      method: "post",
      path: "/status-pages/{id}/events/rules/{rule_id}/restore/{version}",
      tags,
      summary: "Restore a version of an event rule",
      description: "The rule before the restoration is kept as a version, too.",
      request: { params: VersionParams },
      responses: { 200: json("The rule", EventRule), ...OBJECT_ERRORS },
    }),
    async (c) => c.json(presentRule(await restoreVersion(c.var.ctx, c.req.valid("param"))), 200),
  ),
];
