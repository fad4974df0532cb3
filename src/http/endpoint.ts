import type { OpenAPIHono, RouteConfig, RouteHandler, z } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { authenticateAgent, authenticateInstall } from "../access/agent-credentials.ts";
import { authenticateOptional, authenticateUser } from "../access/credentials.ts";
import { authorizeFields, authorizeParams, type IdLocations } from "../access/id-authorization.ts";
import { parseIdempotencyKey } from "../access/idempotency.ts";
import { authenticateScraper } from "../access/metrics-credentials.ts";
import type { Principal } from "../access/principal.ts";
import { authenticatePusher } from "../access/push-credentials.ts";
import { requireRate } from "../access/rate-limit.ts";
import { type CallScope, type Idempotency, openScope, type RequestScope } from "../access/scope.ts";
import { lacksSecondFactor } from "../access/session-policy.ts";
import { browserToken, challengeToken } from "../access/sessions.ts";
import { requireTokenFor } from "../access/token-limits.ts";
import { ApiError, gone, invalid, secondFactorRequired, unavailable } from "../contract/errors.ts";
import type { RateClass } from "../contract/limiter-object.ts";
import type { Permission } from "../domain/roles.ts";
import type { TokenNeed } from "../domain/token-limits.ts";
import { assertNever } from "../lib/assert-never.ts";
import { lowerCaseIds } from "../lib/uuid-case.ts";
import { clientAddressOf, clientNetworkOf, clientPlaceOf } from "../platform/client-address.ts";
import type { Env } from "../platform/env.ts";
import type { Logger } from "../platform/logger.ts";
import { bodyHashes } from "../platform/root-keys.ts";
import type { Settings } from "../platform/settings.ts";
import {
  BODY_BYTES_MAX,
  isFormType,
  isYamlType,
  parseForm,
  parseJsonBody,
  parseYamlBody,
  readRequestBody,
  withJsonType,
} from "./body.ts";
import { responsesOf } from "./responses.ts";
import { noticesOfUnknownFields, withUnknownFields } from "./unknown-fields.ts";

/** What every request carries from the outermost middleware on. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    settings: Settings;
    log: Logger;
    now: number;
    requestId: string;
    publicUrl: string;
    /** The request came under a page's own domain, and reaches nothing but that page. */
    isOwnDomain: boolean | undefined;
    /** Where the request came in, if that is not its address here or the name is not known to be the service's. */
    visited: { url: string; host: string } | undefined;
    /** The body came from a browser's form. */
    isForm: boolean | undefined;
    ctx: RequestScope;
    /** What this request was counted as; absent where nothing is counted. */
    rateClass: RateClass | undefined;
    /** Of the endpoint that was reached; absent where refusals are JSON. */
    refusalPage: ErrorPage | undefined;
    /** Answers a request within this invocation, as if it had come from outside. */
    dispatch: (request: Request) => Promise<Response>;
  };
}

/** For what several handlers share. */
export type AppContext = Context<AppEnv>;

/** Shows to a person what a program gets as JSON; undefined is our own bug, of which nothing is said. */
export type ErrorPage = (c: AppContext, refusal: ApiError | undefined) => Response | Promise<Response>;

/** A body or an answer of a route. */
type Described = Partial<Pick<NonNullable<NonNullable<RouteConfig["request"]>["body"]>, "content">>;

/** Where an endpoint is mounted; one definition may answer under several. */
export const SURFACES = {
  core: "/api/core/v1",
  v1: "/api/uptime/v1",
  v2: "/api/uptime/v2",
  root: "",
} as const;
export type Surface = keyof typeof SURFACES;

const ANONYMOUS: Principal = { kind: "anonymous" };

/** Everything about an endpoint that is not its schema; sweeps, the role matrix and the documentation read it. */
export interface EndpointPolicy {
  at: readonly Surface[];
  /** `optional`: a user where a credential is sent, else anybody. */
  auth: "user" | "agent" | "install" | "heartbeat" | "metrics" | "scrape" | "public" | "optional";
  /** The right that the caller needs on the objects that the request names; null where it names none. */
  permission: Permission | null;
  /** Names the audit row that a success writes; null for reads. */
  audit: string | null;
  /** What a request counts as; `public` is for what caches answer and is not counted. */
  rate: RateClass | "public";
  /** Smaller than what bodies may have elsewhere. */
  bodyBytesMax?: number;
  /** The body may be YAML instead of JSON; the schema sees the same value. */
  acceptsYaml?: boolean;
  /** The body may be what a browser's form sends; the schema sees an object of its fields. */
  acceptsForm?: boolean;
  /** What the body may be where the handler reads it itself, by content type; for the document alone. */
  ownBody?: Readonly<Record<string, { schema: z.ZodType }>>;
  /** For pages: what a refused visitor sees. */
  refusalPage?: ErrorPage;
  ids?: IdLocations;
  /** What an API token with limits needs; absent: `permission`, else reading, else a token without limits for what writes. */
  token?: TokenNeed;
  /** Also for a session that lacks the second factor which is required of it: what sets one up, and signing out. */
  withoutSecondFactor?: boolean;
  /** Runs once the credential is accepted. */
  onAuthenticated?: (ctx: RequestScope) => Promise<void>;
  /** Refuses what the caller's plan does not include (403), before the body's schema is looked at. */
  plan?: (ctx: RequestScope, body: unknown, params: Record<string, string>) => void | Promise<void>;
}

export interface Endpoint {
  policy: EndpointPolicy;
  method: RouteConfig["method"];
  path: string;
  /** With every refusal that the frame may give, besides what the feature declared. */
  readonly route: RouteConfig;
  mount(app: OpenAPIHono<AppEnv>, surface: Surface): void;
}

/** Agents send their credential, the install token included, in a header of their own. */
const AGENT_HEADER = "x-agent-token";
const SECURITY: Record<EndpointPolicy["auth"], Record<string, string[]>[]> = {
  user: [{ bearer: [] }, { session: [] }],
  agent: [{ agent: [] }],
  install: [{ agent: [] }],
  heartbeat: [{ heartbeat: [] }, { heartbeatQuery: [] }],
  metrics: [{ push: [] }],
  scrape: [{ scraper: [] }],
  public: [],
  optional: [{ bearer: [] }, { session: [] }, {}],
};

/**
 * The one way to add an endpoint. A request is checked in this order: credential, size, type and JSON of the body,
 * access to the objects that path and body name, plan, schema, handler.
 */
export function endpoint<R extends RouteConfig>(
  policy: EndpointPolicy,
  route: R,
  handler: RouteHandler<R, AppEnv>,
): Endpoint {
  const security = SECURITY[policy.auth];
  let described: RouteConfig | undefined;
  return {
    policy,
    method: route.method,
    path: route.path,
    // For all endpoints together this takes too long for a start, and only the description of the API wants it.
    get route() {
      described ??= { ...route, security, responses: responsesOf(policy, route) };
      return described;
    },
    mount(app, surface) {
      const path = SURFACES[surface] + route.path;
      // The description is made from ENDPOINTS when somebody asks for it, not at each start.
      const config = { ...route, path, hide: true, middleware: [admit(policy, route)] };
      // Spreading widens the route's type; the handler was checked against the original above.
      app.openapi(config as unknown as R & { getRoutingPath(): string }, retried(handler));
    },
  };
}

const ATTEMPTS_MAX = 25;

/** Runs the handler again when another request wrote between its read and its write, which then wrote nothing. */
function retried<R extends RouteConfig>(handler: RouteHandler<R, AppEnv>): RouteHandler<R, AppEnv> {
  // The router calls it with the context and awaits the answer, on every route.
  const run = handler as unknown as (c: AppContext, next: () => Promise<void>) => Promise<Response>;
  const attempt: typeof run = async (c, next) => {
    for (let left = ATTEMPTS_MAX; ; left--) {
      try {
        return await run(c, next);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const repeated = c.var.ctx.idempotency?.resource_id;
        if (error.status === 404 && repeated) throw gone(repeated);
        if (!error.isRace) throw error;
        if (left === 1) throw unavailable("too many requests change this at once, try again");
        c.var.ctx.loaded.clear();
      }
    }
  };
  return attempt as unknown as RouteHandler<R, AppEnv>;
}

function admit(policy: EndpointPolicy, route: RouteConfig): MiddlewareHandler<AppEnv> {
  const bodyBytesMax = policy.bodyBytesMax ?? BODY_BYTES_MAX;
  return async (c, next) => {
    c.set("refusalPage", policy.refusalPage);
    const contentType = c.req.header("content-type") ?? null;
    const isForm = policy.acceptsForm === true && isFormType(contentType);
    c.set("isForm", isForm);
    refuseRepeatedQuery(c.req.url);
    const call = callScopeOf(c);
    const objectId = Object.values<string>(c.req.param())[0];
    const principal = withSecondFactor(policy, await identify(c, call, policy), call.now);
    const asked: RequestScope = {
      ...call,
      principal,
      permission: policy.permission ?? "page.read",
      auditEvent: policy.audit,
      loaded: new Map(),
      bodyBytes: 0,
      idempotency: null,
    };
    c.set("ctx", asked);
    requireTokenFor(principal, tokenNeedOf(policy));
    await policy.onAuthenticated?.(asked);
    if (policy.rate !== "public") {
      c.set("rateClass", policy.rate);
      // Pushes are counted by the object of their monitor, which sees all of them anyway.
      if (policy.rate !== "push") await requireRate(asked, policy.rate, objectId);
    }

    const bytes = route.request?.body ? await readRequestBody(c.req.raw, bodyBytesMax) : undefined;
    const isYaml = policy.acceptsYaml === true && isYamlType(contentType);
    const body = bytes && (await parseBody(bytes, { contentType, isYaml, isForm }));
    // The validators read the body through this cache, so that it is read and parsed once.
    if (bytes) c.req.bodyCache.json = Promise.resolve(body);
    // They ignore what is not declared as JSON.
    if (isYaml || isForm) c.req.raw = withJsonType(c.req.raw);

    const ctx = { ...asked, bodyBytes: bytes?.byteLength ?? 0, idempotency: idempotencyOf(c, principal, route, bytes) };
    c.set("ctx", ctx);

    if (policy.ids) {
      await authorizeParams(ctx, policy.ids, c.req.param());
      await authorizeFields(ctx, policy.ids.query ?? {}, c.req.query());
      await authorizeFields(ctx, policy.ids.body ?? {}, body);
    }
    await policy.plan?.(ctx, body, c.req.param());
    await next();
    if (bytes && !isForm && c.res.ok) await nameUnknownFields(c, route, body);
  };
}

/** Where a caller may as well be nobody, a session without the second factor that is required of it is nobody's. */
function withSecondFactor(policy: EndpointPolicy, principal: Principal, now: number): Principal {
  if (policy.withoutSecondFactor || principal.kind !== "user" || !lacksSecondFactor(principal, now)) return principal;
  if (policy.auth === "optional" && policy.onAuthenticated === undefined) return ANONYMOUS;
  throw secondFactorRequired();
}

export function tokenNeedOf({ token, permission, audit }: EndpointPolicy): TokenNeed {
  return token ?? permission ?? (audit === null ? "page.read" : "whole");
}

/** A misspelt field would otherwise vanish without a word. */
async function nameUnknownFields(c: AppContext, route: RouteConfig, body: unknown): Promise<void> {
  const asked = schemaOf(route.request?.body);
  if (!asked) return;
  const answer = route.responses[c.res.status];
  const notices = noticesOfUnknownFields(body, asked, answer && "content" in answer ? schemaOf(answer) : undefined);
  if (notices.length > 0) c.res = await withUnknownFields(c.res, notices);
}

function schemaOf(described: Described | undefined): z.ZodType | undefined {
  const json = described?.content?.["application/json"];
  // Every schema of ours is one of zod's; the library's type also allows plain JSON Schema.
  return json && "schema" in json ? (json.schema as z.ZodType) : undefined;
}

async function parseBody(
  bytes: Uint8Array,
  { contentType, isYaml, isForm }: { contentType: string | null; isYaml: boolean; isForm: boolean },
): Promise<unknown> {
  if (isForm) return lowerCaseIds(Object.fromEntries(parseForm(bytes)));
  return lowerCaseIds(isYaml ? await parseYamlBody(bytes) : parseJsonBody(contentType, bytes));
}

/** The request before its caller is known. Hono builds `c.var` on each access, so it is read once. */
export function callScopeOf(c: Context<AppEnv>): CallScope {
  const { settings, log, now, publicUrl } = c.var;
  const defer = (work: Promise<unknown>) => c.executionCtx.waitUntil(work);
  return {
    ...openScope({ env: c.env, settings, log, now }),
    ip: clientAddressOf(c.req.raw),
    place: clientPlaceOf(c.req.raw),
    network: clientNetworkOf(c.req.raw),
    userAgent: userAgentOf(c),
    browserToken: browserToken(c.req.raw, publicUrl) ?? null,
    challengeToken: challengeToken(c.req.raw, publicUrl) ?? null,
    asked: { url: c.req.url, origin: c.req.header("origin") ?? null },
    publicUrl,
    defer,
  };
}

/** Guessing is counted by address, because a guess has no account. */
async function identify(c: Context<AppEnv>, call: CallScope, policy: EndpointPolicy): Promise<Principal> {
  try {
    return await authenticate(c, call, policy.auth);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) {
      await requireRate({ ...call, principal: ANONYMOUS }, "bad_credential");
    }
    throw error;
  }
}

function authenticate(
  c: Context<AppEnv>,
  call: CallScope,
  auth: EndpointPolicy["auth"],
): Principal | Promise<Principal> {
  switch (auth) {
    case "user":
      return authenticateUser(call, c.req.raw);
    case "agent":
      return authenticateAgent(call, c.req.header(AGENT_HEADER));
    case "install":
      return authenticateInstall(call, c.req.header(AGENT_HEADER));
    case "heartbeat":
    case "metrics": {
      const authorization = c.req.header("authorization");
      const token = auth === "heartbeat" ? c.req.query("token") : undefined;
      return authenticatePusher(call.settings, auth === "heartbeat" ? "beat" : auth, { authorization, token });
    }
    case "scrape":
      return authenticateScraper(call, c.req.header("authorization"));
    case "public":
      return ANONYMOUS;
    case "optional":
      return authenticateOptional(call, c.req.raw);
    default:
      return assertNever(auth);
  }
}

const USER_AGENT_LENGTH_MAX = 200;

function userAgentOf(c: Context<AppEnv>): string | null {
  return c.req.header("user-agent")?.slice(0, USER_AGENT_LENGTH_MAX) ?? null;
}

/** Access is decided by one value and the schema by another if a name may come twice. */
function refuseRepeatedQuery(url: string): void {
  if (!url.includes("&")) return;
  const names = [...new URL(url).searchParams.keys()];
  const repeated = names.find((name, n) => names.indexOf(name) !== n);
  if (repeated !== undefined) throw invalid(`${repeated} is given more than once`);
}

function idempotencyOf(
  c: Context<AppEnv>,
  principal: Principal,
  route: RouteConfig,
  bytes: Uint8Array | undefined,
): Idempotency | null {
  if (route.method !== "post" || principal.kind !== "user") return null;
  const key = parseIdempotencyKey(c.req.header("idempotency-key"));
  if (key === null) return null;
  const body_hashes = bodyHashes(c.var.settings.ROOT_SECRET, new TextDecoder().decode(bytes));
  return { user_id: principal.user_id, route: `POST ${c.req.path}`, key, body_hashes, status: 201, resource_id: null };
}
