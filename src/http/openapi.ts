import { OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import { type Endpoint, SURFACES, type Surface } from "./endpoint.ts";

/** Of the interface, not of the program; it changes when a client would notice. */
const INTERFACE_VERSION = "1.0.0";

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header" as const,
  description: "Makes it safe to repeat the request: for 24 hours the same key never makes a second object.",
  schema: { type: "string" as const, minLength: 1, maxLength: 255 },
};

const INFO = {
  title: "Vigil",
  version: INTERFACE_VERSION,
  description:
    "Uptime monitoring and status pages. Times are ISO 8601 in UTC. Errors are JSON with an `error` sentence. Lists take `limit` and `offset` and answer `X-Total-Count` and `Link`. Every answer carries `X-Request-Id`.",
  license: { name: "MIT", identifier: "MIT" },
};

export type ApiDescription = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;

/** The OpenAPI document of all endpoints. Making it takes a while, so it is made when it is first asked for. */
export function describeApi(endpoints: readonly Endpoint[]): ApiDescription {
  const collector = new OpenAPIHono();
  for (const each of endpoints) {
    for (const surface of each.policy.at) collector.openAPIRegistry.registerPath(describeEndpoint(each, surface));
  }
  collector.openAPIRegistry.registerComponent("securitySchemes", "bearer", {
    type: "http",
    scheme: "bearer",
    description: "An API token, `sk_svc_…`",
  });
  collector.openAPIRegistry.registerComponent("securitySchemes", "session", {
    type: "apiKey",
    in: "cookie",
    name: "__Host-vigil_session",
    description: "The session of the dashboard, from signing in; `vigil_session` where the service is reached by http",
  });
  collector.openAPIRegistry.registerComponent("securitySchemes", "agent", {
    type: "apiKey",
    in: "header",
    name: "X-Agent-Token",
    description: "An agent's credential, `ag_…`; to enrol, an install token, `agi_…`",
  });
  collector.openAPIRegistry.registerComponent("securitySchemes", "heartbeat", {
    type: "http",
    scheme: "bearer",
    description: "The heartbeat token of one monitor, `hb_…`",
  });
  collector.openAPIRegistry.registerComponent("securitySchemes", "heartbeatQuery", {
    type: "apiKey",
    in: "query",
    name: "token",
    description: "The same in the address, for clients that cannot set headers",
  });
  collector.openAPIRegistry.registerComponent("securitySchemes", "push", {
    type: "http",
    scheme: "bearer",
    description: "The push key of one monitor, `pk_…`",
  });
  collector.openAPIRegistry.registerComponent("securitySchemes", "scraper", {
    type: "http",
    scheme: "bearer",
    description: "The credential of a user's Prometheus, `mt_…`",
  });
  const tags = [...new Set(endpoints.flatMap(({ route }) => route.tags ?? []))].map((name) => ({ name }));
  // What holds where an operation says nothing else; they all say it, but some readers look here only.
  return collector.getOpenAPI31Document({ openapi: "3.1.0", info: INFO, tags, security: [{ bearer: [] }] });
}

function describeEndpoint({ policy, route }: Endpoint, surface: Surface): RouteConfig {
  const repeatable = route.method === "post" && policy.auth === "user";
  return {
    ...route,
    path: SURFACES[surface] + route.path,
    operationId: route.operationId ?? operationId(route, surface === policy.at[0] ? null : surface),
    parameters: repeatable ? [IDEMPOTENCY_KEY] : [],
  };
}

/** `GET /webhooks/{id}/deliveries` is getWebhooksByIdDeliveries; further addresses of an endpoint end in their surface. */
function operationId({ method, path }: RouteConfig, surface: Surface | null): string {
  const words = path
    .replace(/\{(\w+)\}/g, "by-$1")
    .split(/[^a-zA-Z0-9]+/)
    .filter((word) => word !== "");
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return `${method}${name}${surface === null ? "" : `_${surface}`}`;
}
