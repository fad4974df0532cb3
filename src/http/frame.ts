import type { OpenAPIHono } from "@hono/zod-openapi";
import type { ErrorHandler, MiddlewareHandler, NotFoundHandler } from "hono";
import { ApiError, notFound } from "../contract/errors.ts";
import { now } from "../platform/clock.ts";
import { newId } from "../platform/ids.ts";
import { createLogger } from "../platform/logger.ts";
import { settingsOf } from "../platform/settings.ts";
import { type AppEnv, type Endpoint, SURFACES } from "./endpoint.ts";
import { toErrorResponse } from "./errors.ts";

const SECURITY_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
};
const API_HEADERS = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
};

/** Outermost: what every request carries, what every answer has, and one log line per request. */
export const openRequest: MiddlewareHandler<AppEnv> = async (c, next) => {
  const started = now();
  const settings = settingsOf(c.env);
  const requestId = newId();
  const log = createLogger(settings, { request_id: requestId });
  c.set("settings", settings);
  c.set("now", started);
  c.set("requestId", requestId);
  c.set("log", log);
  c.set("publicUrl", settings.PUBLIC_URL || new URL(c.req.url).origin);
  await next();
  const headers = c.res.headers;
  headers.set("X-Request-Id", requestId);
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) if (!headers.has(name)) headers.set(name, value);
  if (headers.get("content-type")?.startsWith("application/json")) {
    for (const [name, value] of Object.entries(API_HEADERS)) if (!headers.has(name)) headers.set(name, value);
  }
  log.info("request", {
    method: c.req.method,
    route: c.req.routePath,
    status: c.res.status,
    ms: now() - started,
    user_id: userIdOf(c.var.ctx),
  });
};

function userIdOf(ctx: AppEnv["Variables"]["ctx"] | undefined): string | undefined {
  return ctx?.principal.kind === "user" ? ctx.principal.user_id : undefined;
}

export const answerErrors: ErrorHandler<AppEnv> = (error, c) => toErrorResponse(error, c.var.requestId, c.var.log);

export function mountEndpoints(app: OpenAPIHono<AppEnv>, endpoints: readonly Endpoint[]): void {
  for (const each of endpoints) for (const surface of each.policy.at) each.mount(app, surface);
}

/** 405 with Allow where the path exists under other methods, else 404. */
export function refuseUnknown(endpoints: readonly Endpoint[]): NotFoundHandler<AppEnv> {
  const methodsByPattern = new Map<string, Set<string>>();
  for (const each of endpoints) {
    for (const surface of each.policy.at) {
      const pattern = `^${(SURFACES[surface] + each.path).replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+")}$`;
      const methods = methodsByPattern.get(pattern) ?? new Set();
      methodsByPattern.set(pattern, methods.add(each.method.toUpperCase()));
    }
  }
  return (c) => {
    const allowed = [...methodsByPattern].filter(([pattern]) => new RegExp(pattern).test(c.req.path));
    if (allowed.length === 0) throw notFound("route");
    const methods = [...new Set(allowed.flatMap(([, set]) => [...set]))].join(", ");
    throw new ApiError(405, `this address answers ${methods} only`, { headers: { Allow: methods } });
  };
}
