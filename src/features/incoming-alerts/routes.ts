import { createRoute, z } from "@hono/zod-openapi";
import { invalid } from "../../contract/errors.ts";
import {
  AlertMapping,
  AlertNotification,
  AlertQuery,
  ForeignAlert,
  ReceivedAlert,
  ReportedAlert,
  SentryIssue,
  SentryIssueAlert,
  SentryMetricAlert,
  SentryQuery,
} from "../../contract/incoming-alert.ts";
import {
  type IncomingAlert,
  readForeign,
  readNotification,
  readReport,
  readSentryIssue,
  readSentryIssueAlert,
  readSentryMetricAlert,
} from "../../domain/incoming-alerts.ts";
import { BODY_BYTES_MAX, parseJsonBody, readRequestBody } from "../../http/body.ts";
import { type AppContext, type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { parseInput } from "../../http/errors.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { receiveFromSentry, requireSentry } from "./sentry.ts";
import { receiveAlert } from "./service.ts";

const tags = ["Incidents"];
/** Programs report by an API token with this right alone, limited to the page. */
const reports = {
  at: ["v1"],
  auth: "user",
  permission: "incidents.write",
  audit: "incident.reported",
  rate: "emit",
} as const satisfies Partial<EndpointPolicy>;
const page = { id: "page" } as const;
const responses = { 200: json("The incident that it is about", ReceivedAlert), ...OBJECT_ERRORS, ...BODY_ERRORS };

export const endpoints = [
  endpoint(
    { ...reports, ids: { params: page, body: { monitor_id: "monitor:see" } } },
    createRoute({
      method: "post",
      path: "/status-pages/{id}/alerts",
      tags,
      summary: "Report an alert",
      description:
        "Opens an internal incident, unless that of the same key is still open; `resolved` resolves it. Repeats change nothing.",
      request: { params: IdParam, body: jsonBody(ReportedAlert) },
      responses,
    }),
    async (c) => c.json(await receiveAlert(c.var.ctx, c.req.valid("param").id, readReport(c.req.valid("json"))), 200),
  ),

  endpoint(
    { ...reports, ids: { params: page, query: { monitor_id: "monitor:see" } } },
    createRoute({
      method: "post",
      path: "/status-pages/{id}/alerts/alertmanager",
      tags,
      summary: "Receive a notification of Alertmanager or Grafana",
      description: "As a webhook sends it: one incident for each group of alerts.",
      request: { params: IdParam, query: AlertQuery, body: jsonBody(AlertNotification) },
      responses,
    }),
    async (c) => {
      const alert = readNotification(c.req.valid("json"), c.req.valid("query").monitor_id ?? null);
      return c.json(await receiveAlert(c.var.ctx, c.req.valid("param").id, alert), 200);
    },
  ),

  endpoint(
    { ...reports, ids: { params: page, query: { monitor_id: "monitor:see" } } },
    createRoute({
      method: "post",
      path: "/status-pages/{id}/alerts/mapped",
      tags,
      summary: "Receive an alert in a format of its own",
      description: "JSON as a program sends it; the query says where in it the members of an alert stand.",
      request: { params: IdParam, query: AlertMapping, body: jsonBody(ForeignAlert) },
      responses,
    }),
    async (c) => {
      const mapping = c.req.valid("query");
      const alert = readForeign(c.req.valid("json"), mapping);
      if (alert === null) throw invalid(`key: the body has no text at ${mapping.key}`);
      return c.json(await receiveAlert(c.var.ctx, c.req.valid("param").id, alert), 200);
    },
  ),

  endpoint(
    { at: ["root"], auth: "public", permission: null, audit: "incident.reported", rate: "public" },
    createRoute({
      method: "post",
      path: "/integrations/sentry/{page}",
      tags,
      summary: "Webhook of an internal integration of Sentry",
      description:
        "Signed by its client secret, which the owner of the page stores as a secret; anything else is 401. Issue and metric alerts open an incident, their end resolves it; everything else changes nothing.",
      request: { params: z.object({ page: z.uuid() }), query: SentryQuery },
      responses: { 200: responses[200], ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const { page } = c.req.valid("param");
      const { secret: secret_name, monitor_id = null } = c.req.valid("query");
      const body = await readRequestBody(c.req.raw, BODY_BYTES_MAX);
      const signature = c.req.header("sentry-hook-signature") ?? "";
      const ctx = await requireSentry(c.var.ctx, { page_id: page, secret_name, signature, body });
      return c.json(await receiveFromSentry(ctx, page, readSentry(c, body, monitor_id)), 200);
    },
  ),
];

function readSentry(c: AppContext, body: Uint8Array, monitor_id: string | null): IncomingAlert | null {
  const sent = parseJsonBody(c.req.header("content-type") ?? null, body);
  switch (c.req.header("sentry-hook-resource")) {
    case "event_alert":
      return readSentryIssueAlert(parseInput(SentryIssueAlert, sent), monitor_id);
    case "metric_alert":
      return readSentryMetricAlert(parseInput(SentryMetricAlert, sent), monitor_id);
    case "issue":
      return readSentryIssue(parseInput(SentryIssue, sent));
    default:
      return null;
  }
}
