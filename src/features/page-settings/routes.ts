import { createRoute } from "@hono/zod-openapi";
import type { z } from "zod";
import { Alerting, AlertingUpdate, Legal, LegalUpdate } from "../../contract/page-settings.ts";
import type { StatusPageRecord } from "../../data/status-pages/read.ts";
import { fillTopics } from "../../domain/team-notifications.ts";
import { endpoint } from "../../http/endpoint.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, OBJECT_ERRORS } from "../../http/responses.ts";
import { changeAlerting, changeLegal } from "./service.ts";

const tags = ["Status pages"];
const shared = { at: ["v1"], auth: "user", rate: "api" } as const;

export const endpoints = [
  endpoint(
    { ...shared, permission: "page.write", audit: "page.legal_updated", ids: { params: { id: "page" } } },
    createRoute({
      method: "put",
      path: "/status-pages/{id}/legal",
      tags,
      summary: "Set the imprint and privacy links in the footer of a status page",
      description: "Omitted fields keep their value; null clears them.",
      request: { params: IdParam, body: jsonBody(LegalUpdate) },
      responses: { 200: json("The links", Legal), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const page = await changeLegal(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json(presentLegal(page), 200);
    },
  ),

  endpoint(
    { ...shared, permission: "alerting.write", audit: "page.alerting_updated", ids: { params: { id: "page" } } },
    createRoute({
      method: "patch",
      path: "/status-pages/{id}/alerting",
      tags,
      summary: "Update the alerting settings of a status page",
      description: "Omitted fields keep their value; alert_routing is replaced as a whole, notify_team topic by topic.",
      request: { params: IdParam, body: jsonBody(AlertingUpdate) },
      responses: { 200: json("The settings", Alerting), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const page = await changeAlerting(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json(presentAlerting(page), 200);
    },
  ),
];

function presentLegal({ imprint_url, privacy_url }: StatusPageRecord): z.infer<typeof Legal> {
  return { imprint_url, privacy_url };
}

function presentAlerting(page: StatusPageRecord): z.infer<typeof Alerting> {
  return {
    incident_system_enabled: page.incident_system_enabled,
    auto_create_incident: page.auto_create_incident,
    auto_publish_incident: page.auto_publish_incident,
    advanced_alerts: page.advanced_alerts,
    notify_team: fillTopics(page.notify_team),
    alert_routing: page.alert_routing,
  };
}
