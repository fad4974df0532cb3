import { createRoute } from "@hono/zod-openapi";
import { invalid } from "../../contract/errors.ts";
import {
  AlertMapping,
  AlertNotification,
  AlertQuery,
  ForeignAlert,
  ReceivedAlert,
  ReportedAlert,
} from "../../contract/incoming-alert.ts";
import { readForeign, readNotification, readReport } from "../../domain/incoming-alerts.ts";
import { type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, OBJECT_ERRORS } from "../../http/responses.ts";
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
];
