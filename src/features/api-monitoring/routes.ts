import { createRoute } from "@hono/zod-openapi";
import type { z } from "zod";
import {
  ApiConfig,
  ApiMetrics,
  ApiMonitor,
  ApiPush,
  MetricsQuery,
  RotatedPushKey,
  type StoredApiSample,
} from "../../contract/api-monitoring.ts";
import { PUSH_BYTES_MAX, PushAccepted } from "../../contract/push.ts";
import { type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { toIso } from "../../platform/clock.ts";
import { gateUpdate } from "../monitors/service.ts";
import { presentKey, presentPushed, presentSeries, presentTimes } from "../push/present.ts";
import type { PushMonitor, readMetrics, StoredSample } from "../push/service.ts";
import { configureApiMonitor, getApiMonitor, pushApi, readApiMetrics, rotateApiKey } from "./service.ts";

const tags = ["API monitoring"];
const shared = { at: ["v1", "v2"], auth: "user", rate: "api" } as const;
const reads = {
  ...shared,
  permission: null,
  audit: null,
  ids: { params: { id: "monitor:see" } },
} satisfies EndpointPolicy;
const writes = { ...shared, permission: "monitors.write" } as const;

export const endpoints = [
  endpoint(
    {
      at: ["v1", "v2"],
      auth: "metrics",
      permission: null,
      audit: null,
      rate: "push",
      bodyBytesMax: PUSH_BYTES_MAX,
    },
    createRoute({
      method: "post",
      path: "/api-monitoring/push",
      tags,
      summary: "Push metrics of an API",
      description:
        "One sample, or up to 100. `is_error` is a failure; the monitor's thresholds may also make it degraded or down.",
      request: { body: jsonBody(ApiPush) },
      responses: { 200: json("Accepted", PushAccepted), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const { monitor_id, status, received_at } = await pushApi(c.var.ctx, c.req.valid("json"));
      return c.json({ ok: true as const, monitor_id, status, received_at: toIso(received_at) }, 200);
    },
  ),

  endpoint(
    reads,
    createRoute({
      method: "get",
      path: "/api-monitoring/monitors/{id}",
      tags,
      summary: "Get an API monitor with its configuration and state",
      request: { params: IdParam },
      responses: { 200: json("The monitor", ApiMonitor), ...OBJECT_ERRORS },
    }),
    async (c) => c.json(presentApiMonitor(await getApiMonitor(c.var.ctx, c.req.valid("param").id)), 200),
  ),

  endpoint(
    { ...writes, audit: "monitor.updated", ids: { params: { id: "monitor" } }, plan: gateUpdate },
    createRoute({
      method: "put",
      path: "/api-monitoring/monitors/{id}/config",
      tags,
      summary: "Update widgets, thresholds and intervals of an API monitor",
      description: "Omitted fields keep their value; null restores the default.",
      request: { params: IdParam, body: jsonBody(ApiConfig) },
      responses: { 200: json("The monitor", ApiMonitor), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const view = await configureApiMonitor(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json(presentApiMonitor(view), 200);
    },
  ),

  endpoint(
    reads,
    createRoute({
      method: "get",
      path: "/api-monitoring/monitors/{id}/metrics",
      tags,
      summary: "Get the pushed metrics of an API monitor",
      description: "The newest pushes, and a series of buckets for every numeric metric.",
      request: { params: IdParam, query: MetricsQuery },
      responses: { 200: json("The metrics", ApiMetrics), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const history = await readApiMetrics(c.var.ctx, c.req.valid("param").id, c.req.valid("query"));
      return c.json(presentMetrics(history), 200);
    },
  ),

  endpoint(
    { ...writes, audit: "monitor.credential_replaced", ids: { params: { id: "monitor" } } },
    createRoute({
      method: "post",
      path: "/api-monitoring/monitors/{id}/regenerate-key",
      tags,
      summary: "Rotate the push key of an API monitor",
      description: "The previous one is rejected at once.",
      request: { params: IdParam },
      responses: { 200: json("The new key", RotatedPushKey), ...OBJECT_ERRORS },
    }),
    async (c) => c.json(presentKey(await rotateApiKey(c.var.ctx, c.req.valid("param").id)), 200),
  ),
];

function presentApiMonitor(monitor: PushMonitor): z.infer<typeof ApiMonitor> {
  return { ...presentPushed(monitor), type: "api", last_push: monitor.last && presentSample(monitor.last) };
}

/** The members passed the schema of pushes when they were kept. */
function presentSample(kept: StoredSample): z.infer<typeof StoredApiSample> {
  const { fields, metrics } = kept.sample;
  const { endpoint, method, status_code, latency_ms, is_error } = fields as z.infer<typeof StoredApiSample>;
  return { ...presentTimes(kept), endpoint, method, status_code, latency_ms, is_error, metrics };
}

function presentMetrics(history: Awaited<ReturnType<typeof readMetrics>>): z.infer<typeof ApiMetrics> {
  return { ...presentSeries(history), recent: history.recent.map(presentSample) };
}
