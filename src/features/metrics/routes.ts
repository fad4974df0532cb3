import { createRoute } from "@hono/zod-openapi";
import { MetricsToken } from "../../contract/account.ts";
import { endpoint } from "../../http/endpoint.ts";
import { BODY_ERRORS, document, json, noContent, USER_ERRORS } from "../../http/responses.ts";
import { presentMetrics } from "./present.ts";
import { replaceMetricsToken, revokeMetricsToken, scrapeMonitors } from "./service.ts";

const TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8";
const tags = ["Metrics"];

export const endpoints = [
  endpoint(
    { at: ["root"], auth: "scrape", permission: null, audit: null, rate: "heavy" },
    createRoute({
      method: "get",
      path: "/metrics",
      tags,
      summary: "Read your monitors as Prometheus metrics",
      description:
        "monitor_status, monitor_response_time, monitor_uptime_ratio and monitor_cert_days_remaining of the first 5,000 monitors that you see, each with the labels monitor_id, monitor_name and monitor_type.",
      responses: { 200: document("The metrics in the Prometheus text format", "text/plain"), ...USER_ERRORS },
    }),
    async (c) => {
      const monitors = await scrapeMonitors(c.var.ctx);
      return c.body(presentMetrics(monitors, c.var.now), 200, { "Content-Type": TEXT_FORMAT });
    },
  ),

  endpoint(
    { at: ["core"], auth: "user", permission: null, audit: "metrics_token.created", rate: "token_creation" },
    createRoute({
      method: "post",
      path: "/user/metrics-token",
      tags,
      summary: "Create the credential of your Prometheus",
      description: "It opens /metrics alone and is shown in this answer only. It replaces the one that you had before.",
      responses: { 201: json("The credential", MetricsToken), ...USER_ERRORS, 409: BODY_ERRORS[409] },
    }),
    async (c) => c.json({ token: await replaceMetricsToken(c.var.ctx) }, 201),
  ),

  endpoint(
    { at: ["core"], auth: "user", permission: null, audit: "metrics_token.revoked", rate: "api" },
    createRoute({
      method: "delete",
      path: "/user/metrics-token",
      tags,
      summary: "Revoke the credential of your Prometheus",
      description: "Takes effect with the next scrape.",
      responses: { ...noContent, ...USER_ERRORS },
    }),
    async (c) => {
      await revokeMetricsToken(c.var.ctx);
      return c.body(null, 204);
    },
  ),
];
