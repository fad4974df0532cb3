import { OpenAPIHono, type RouteConfig, z } from "@hono/zod-openapi";
import { TAKES_ONE, TAKES_TEXT } from "../contract/common.ts";
import { type Endpoint, SURFACES, type Surface } from "./endpoint.ts";
import { BODY_EXAMPLES, paramExample } from "./examples.ts";

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
    "Uptime monitoring and status pages. Times are ISO 8601 in UTC. Errors are JSON with an `error` sentence. Unknown members of a body are ignored, and named in the header `Vigil-Unknown-Fields` and in the `notices` of an answer that is an object. Lists take `limit` and `offset` and answer `X-Total-Count` and `Link`. Every answer carries `X-Request-Id`.",
  license: { name: "MIT", identifier: "MIT" },
};

export type ApiDescription = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;

/** The OpenAPI document of all endpoints. scripts/openapi.ts makes an asset of it: the Worker serves it without the generator. */
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
  const document = collector.getOpenAPI31Document({ openapi: "3.1.0", info: INFO, tags, security: [{ bearer: [] }] });
  addParamExamples(document);
  return describeForms(document);
}

/** Parameters of a path are described where their schemas are; what to put into them is said here. */
function addParamExamples({ paths }: ApiDescription): void {
  for (const operation of Object.values(paths ?? {}).flatMap((path) => Object.values(path))) {
    for (const parameter of operation.parameters ?? []) {
      if (parameter.in === "path") parameter.example = paramExample(parameter.name);
    }
  }
}

const LIST_HEADERS = {
  "X-Total-Count": { description: "How many entries there are in all", schema: { type: "integer" as const } },
  Link: { description: "Addresses of the next and the previous part (RFC 8288)", schema: { type: "string" as const } },
};

/** Whether the success of an operation is given in parts. */
function isList({ method, request, responses }: RouteConfig): boolean {
  const query = request?.query;
  const content = responses[200] && "content" in responses[200] ? responses[200].content : undefined;
  const isArray = schemaOf(content) instanceof z.ZodArray;
  return method === "get" && isArray && query instanceof z.ZodObject && "offset" in query.shape;
}

function schemaOf(content: Record<string, unknown> | undefined): unknown {
  const json = content?.["application/json"];
  return typeof json === "object" && json !== null && "schema" in json ? json.schema : undefined;
}

/** The same body with an example, where there is one. */
function withExample({ method, path }: RouteConfig, request: RouteConfig["request"]): RouteConfig["request"] {
  const example = BODY_EXAMPLES[`${method.toUpperCase()} ${path}`];
  const json = request?.body?.content["application/json"];
  if (!request?.body || !json || !example) return request;
  return {
    ...request,
    body: { ...request.body, content: { ...request.body.content, "application/json": { ...json, example } } },
  };
}

function describeEndpoint({ policy, route }: Endpoint, surface: Surface): RouteConfig {
  const repeatable = route.method === "post" && policy.auth === "user";
  const success = route.responses[200];
  const { ownBody } = policy;
  const request = ownBody ? { ...route.request, body: { content: ownBody, required: false } } : route.request;
  return {
    ...route,
    request: withExample(route, request),
    ...(isList(route) && success && { responses: { ...route.responses, 200: { ...success, headers: LIST_HEADERS } } }),
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

type Node = Record<string, unknown>;

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The document with every form that a value may come in. A preprocessed schema is described by its result alone, and a
 * coerced parameter as if it could be null.
 */
function describeForms<Document>(document: Document): Document {
  return describe(document) as Document;
}

function describe(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(describe);
  if (!isNode(value)) return value;
  const node = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, describe(member)]));
  if (node.in === "query" && isNode(node.schema)) return { ...node, schema: withoutNull(node.schema) };
  if (TAKES_TEXT in node) return withForm(node, TAKES_TEXT, { type: "string" });
  if (TAKES_ONE in node) return withForm(node, TAKES_ONE, node.items);
  return node;
}

function withForm({ description, ...node }: Node, flag: string, form: unknown): Node {
  const { [flag]: _flag, ...native } = node;
  const described = description === undefined ? {} : { description };
  // What takes anything takes text.
  return Object.keys(native).length === 0 ? described : { anyOf: [native, form], ...described };
}

function withoutNull({ type, enum: values, ...schema }: Node): Node {
  const types = Array.isArray(type) ? type.filter((each) => each !== "null") : type;
  return {
    ...schema,
    ...(type !== undefined && { type: Array.isArray(types) && types.length === 1 ? types[0] : types }),
    ...(Array.isArray(values) && { enum: values.filter((each) => each !== null) }),
  };
}
