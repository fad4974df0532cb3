import { createRoute, z } from "@hono/zod-openapi";
import { MetricsQuery, RotatedPushKey } from "../../contract/api-monitoring.ts";
import { GameConfig, GameMetrics, GameMonitor, GamePush, PluginQuery } from "../../contract/game-server.ts";
import type { Position } from "../../contract/pagination.ts";
import { PUSH_BYTES_MAX, PushAccepted } from "../../contract/push.ts";
import { type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { LongListQuery, setListHeaders } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { toIso } from "../../platform/clock.ts";
import { presentKey } from "../push/present.ts";
import { pluginFor, writePlugin } from "./plugin.ts";
import { presentGameMonitor, presentMetrics } from "./present.ts";
import {
  configureGameMonitor,
  gameTypeOf,
  gateConfig,
  getGameMonitor,
  getPushedGame,
  listGameMonitors,
  pushGame,
  readGameMetrics,
  requireBeta,
  rotateGameKey,
} from "./service.ts";
import { writeSidecar } from "./sidecar.ts";

const tags = ["Game servers"];
const shared = { at: ["v2"], auth: "user", rate: "api", plan: requireBeta } as const;
const reads = { ...shared, permission: null, audit: null } satisfies EndpointPolicy;
const readsOne = { ...reads, ids: { params: { id: "monitor:see" } } } satisfies EndpointPolicy;
const writes = { ...shared, permission: "monitors.write" } as const;
const source = z.string();

export const endpoints = [
  endpoint(
    { at: ["v2"], auth: "metrics", permission: null, audit: null, rate: "push", bodyBytesMax: PUSH_BYTES_MAX },
    createRoute({
      method: "post",
      path: "/game-server/push",
      tags,
      summary: "Push metrics of a game server",
      description: "One sample, or up to 100. The monitor's thresholds may make it degraded or down.",
      request: { body: jsonBody(GamePush) },
      responses: { 200: json("Accepted", PushAccepted), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const { monitor_id, status, received_at } = await pushGame(c.var.ctx, c.req.valid("json"));
      return c.json({ ok: true as const, monitor_id, status, received_at: toIso(received_at) }, 200);
    },
  ),

  endpoint(
    reads,
    createRoute({
      method: "get",
      path: "/game-server/monitors",
      tags,
      summary: "List game server monitors",
      description: "With the last push of the first 100 of them, and no push keys.",
      request: { query: LongListQuery },
      responses: { 200: json("The monitors", z.array(GameMonitor)), ...USER_ERRORS },
    }),
    async (c) => {
      const page = c.req.valid("query");
      const { views, total } = await listGameMonitors(c.var.ctx, page);
      const positions = views.map(({ record }): Position => [record.position, record.id]);
      setListHeaders(c, page, total, positions);
      return c.json(views.map(presentGameMonitor), 200);
    },
  ),

  endpoint(
    readsOne,
    createRoute({
      method: "get",
      path: "/game-server/monitors/{id}",
      tags,
      summary: "Get a game server monitor",
      request: { params: IdParam },
      responses: { 200: json("The monitor", GameMonitor), ...OBJECT_ERRORS },
    }),
    async (c) => c.json(presentGameMonitor(await getGameMonitor(c.var.ctx, c.req.valid("param").id)), 200),
  ),

  endpoint(
    { ...writes, audit: "monitor.updated", ids: { params: { id: "monitor" } }, plan: gateConfig },
    createRoute({
      method: "put",
      path: "/game-server/monitors/{id}/config",
      tags,
      summary: "Update the configuration of a game server monitor",
      description: "Omitted fields keep their value; null restores the default.",
      request: { params: IdParam, body: jsonBody(GameConfig) },
      responses: { 200: json("The monitor", GameMonitor), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const view = await configureGameMonitor(c.var.ctx, c.req.valid("param").id, c.req.valid("json"));
      return c.json(presentGameMonitor(view), 200);
    },
  ),

  endpoint(
    readsOne,
    createRoute({
      method: "get",
      path: "/game-server/monitors/{id}/metrics",
      tags,
      summary: "Get the pushed metrics of a game server",
      description: "The newest pushes, and a series of buckets for every numeric metric.",
      request: { params: IdParam, query: MetricsQuery },
      responses: { 200: json("The metrics", GameMetrics), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const history = await readGameMetrics(c.var.ctx, c.req.valid("param").id, c.req.valid("query"));
      return c.json(presentMetrics(history), 200);
    },
  ),

  endpoint(
    { ...writes, audit: null, ids: { params: { id: "monitor" } } },
    createRoute({
      method: "get",
      path: "/game-server/monitors/{id}/plugin",
      tags,
      summary: "Download the plug-in of a game server",
      description:
        "A ZIP archive with the monitor's address and push key filled in: a FiveM resource, a plug-in for Rust (Oxide) or Minecraft (Paper), or a sidecar for any other game.",
      request: { params: IdParam, query: PluginQuery },
      responses: {
        200: {
          description: "The archive, or with `runtime` the program, as an attachment",
          content: {
            "application/zip": { schema: source },
            "text/javascript": { schema: source },
            "text/x-shellscript": { schema: source },
          },
        },
        ...OBJECT_ERRORS,
      },
    }),
    async (c) => {
      const { runtime, game } = c.req.valid("query");
      const { record, push_key, push_url } = await getPushedGame(c.var.ctx, c.req.valid("param").id);
      const access = { push_key, push_url, interval: record.interval };
      const headersOf = (type: string, filename: string) => ({
        "Content-Type": type,
        "Content-Disposition": `attachment; filename="${filename}"`,
        "Cache-Control": "no-store",
      });
      if (runtime !== undefined) {
        const { filename, type, text } = writeSidecar(runtime, access);
        return c.body(text, 200, headersOf(type, filename));
      }
      const { filename, bytes } = writePlugin(game ?? pluginFor(gameTypeOf(record)), access);
      return c.body(bytes, 200, headersOf("application/zip", filename));
    },
  ),

  endpoint(
    { ...writes, audit: "monitor.credential_replaced", ids: { params: { id: "monitor" } } },
    createRoute({
      method: "post",
      path: "/game-server/monitors/{id}/regenerate-key",
      tags,
      summary: "Rotate the push key of a game server monitor",
      description: "The previous one is rejected at once.",
      request: { params: IdParam },
      responses: { 200: json("The new key", RotatedPushKey), ...OBJECT_ERRORS },
    }),
    async (c) => c.json(presentKey(await rotateGameKey(c.var.ctx, c.req.valid("param").id)), 200),
  ),
];
