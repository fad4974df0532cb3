import type { OpenAPIHono } from "@hono/zod-openapi";
import type { ErrorHandler, MiddlewareHandler, NotFoundHandler } from "hono";
import { withReachableNetworks } from "../access/reachable-networks.ts";
import { ApiError, forbidden, invalid, notFound } from "../contract/errors.ts";
import { now } from "../platform/clock.ts";
import { newId } from "../platform/ids.ts";
import { HOP_HEADER, isOwnInstallation } from "../platform/installation.ts";
import { createLogger } from "../platform/logger.ts";
import { settingsOf } from "../platform/settings.ts";
import { drain } from "./body.ts";
import { type AppEnv, type Endpoint, type ErrorPage, SURFACES } from "./endpoint.ts";
import { mapError, toErrorResponse } from "./errors.ts";
import { recordResponse } from "./recorded-response.ts";
import { completeHeaders, REQUEST_ID_HEADER, stateRateLimit } from "./response-headers.ts";

const URL_LENGTH_MAX = 16_384;

/** Outermost: what every request carries, what every answer has, and one log line per request. */
const startRequest: MiddlewareHandler<AppEnv> = async (c, next) => {
  const started = now();
  const settings = settingsOf(await withReachableNetworks(c.env));
  const requestId = newId();
  const log = createLogger(settings, { request_id: requestId });
  c.set("settings", settings);
  c.set("now", started);
  c.set("requestId", requestId);
  c.set("log", log);
  c.set("publicUrl", settings.PUBLIC_URL || new URL(c.req.url).origin);
  await next();
  await drain(c.req.raw);
  const { headers, status } = c.res;
  headers.set(REQUEST_ID_HEADER, requestId);
  completeHeaders(headers);
  const { rateClass, ctx } = c.var;
  if (rateClass) stateRateLimit(headers, settings, rateClass);
  const request = { method: c.req.method, route: c.req.routePath, user_id: userIdOf(ctx) };
  recordResponse({ ...request, status, started, requestId, settings, log, rateClass });
};

/** What no endpoint takes: addresses that no client writes, and requests that this installation sent itself. */
const rejectHostileRequests: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (c.req.url.length > URL_LENGTH_MAX) throw invalid(`the address is longer than ${URL_LENGTH_MAX} characters`);
  if (c.req.url.includes("%00")) throw invalid("the address must not contain NUL");
  const hop = c.req.header(HOP_HEADER);
  if (hop !== undefined && isOwnInstallation(c.var.settings.ROOT_SECRET, hop)) {
    throw forbidden("this request comes from the service itself");
  }
  await next();
};

function userIdOf(ctx: AppEnv["Variables"]["ctx"] | undefined): string | undefined {
  return ctx?.principal.kind === "user" ? ctx.principal.user_id : undefined;
}

const handleErrors: ErrorHandler<AppEnv> = async (error, c) => {
  const { refusalPage, requestId, log } = c.var;
  if (!refusalPage) return toErrorResponse(error, requestId, log);
  try {
    return await refusalPage(c, mapError(error, log));
  } catch (again) {
    return toErrorResponse(again, requestId, log);
  }
};

/** Under which path browsers look around, and what they see where nothing is; everywhere else clients want JSON. */
export interface HtmlArea {
  prefix: string;
  refusalPage: ErrorPage;
}

/** What every app has: these endpoints, and what stands around them. */
export function mountAll(app: OpenAPIHono<AppEnv>, endpoints: readonly Endpoint[], areas: readonly HtmlArea[]): void {
  app.use(startRequest);
  app.use(async (c, next) => {
    c.set("dispatch", async (request) => app.fetch(request, c.env, c.executionCtx));
    await next();
  });
  app.use(rejectHostileRequests);
  app.onError(handleErrors);
  app.notFound(handleUnknownRoute(endpoints, areas));
  for (const each of endpoints) for (const surface of each.policy.at) each.mount(app, surface);
}

/** 405 with Allow where the path exists under other methods, else 404; what people mistype leads to where they meant. */
function handleUnknownRoute(endpoints: readonly Endpoint[], places: readonly HtmlArea[]): NotFoundHandler<AppEnv> {
  const methodsAt = indexMethods(endpoints);
  return async (c) => {
    const { path, method, url } = c.req;
    const methods = methodsAt(path);
    const place = places.find(({ prefix }) => `${path}/`.startsWith(`${prefix}/`));
    const isLooking = place !== undefined && (method === "GET" || method === "HEAD");
    const [, whole, lastWord] = /^(.*\/([^/]+))\/$/.exec(path) ?? [];
    if (isLooking && whole !== undefined && methodsAt(whole).has("GET")) {
      // Relative, because a page's own domain has other paths than these.
      return new Response(null, { status: 308, headers: { Location: `../${lastWord}${new URL(url).search}` } });
    }
    const refusal = methods.size === 0 ? notFound("route") : methodNotAllowed(methods);
    // Returned, not thrown: Hono would take an error from here past everything that startRequest does afterwards.
    return isLooking ? place.refusalPage(c, refusal) : toErrorResponse(refusal, c.var.requestId, c.var.log);
  };
}

/** The methods under which an address answers. */
function indexMethods(endpoints: readonly Endpoint[]): (path: string) => Set<string> {
  const methodsByPattern = new Map<string, Set<string>>();
  for (const each of endpoints) {
    for (const surface of each.policy.at) {
      const pattern = `^${(SURFACES[surface] + each.path).replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+")}$`;
      const methods = methodsByPattern.get(pattern) ?? new Set();
      methodsByPattern.set(pattern, methods.add(each.method.toUpperCase()));
    }
  }
  return (path) => {
    const found = [...methodsByPattern].filter(([pattern]) => new RegExp(pattern).test(path));
    return new Set(found.flatMap(([, methods]) => [...methods]));
  };
}

function methodNotAllowed(methods: Set<string>): ApiError {
  const allowed = methods.has("GET") ? [...methods, "HEAD"] : [...methods];
  const list = allowed.join(", ");
  return new ApiError(405, `this address answers ${list} only`, { headers: { Allow: list } });
}
