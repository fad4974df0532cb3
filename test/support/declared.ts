import { expect } from "vitest";
import { ENDPOINTS } from "../../src/app.ts";
import { type Endpoint, SURFACES } from "../../src/http/endpoint.ts";
import { membersOf, schemaOf } from "./schemas.ts";

/** What the frame answers wherever a request goes, so no endpoint declares it. */
const UNDECLARED = [405];

interface Answered {
  method: string;
  path: string;
  status: number;
  headers: Headers;
  body: unknown;
}

/** Fails on a status that the endpoint does not declare, and on any field that its schema does not know. */
export function expectDeclared({ method, path, status, headers, body }: Answered): void {
  const endpoint = findEndpoint(method, path);
  if (!endpoint || UNDECLARED.includes(status)) return;
  const where = `${method} ${path} answered ${status}`;
  const declared = endpoint.route.responses[status];
  if (!declared || "$ref" in declared) throw new Error(`${where}, which it does not declare: ${JSON.stringify(body)}`);
  const type = headers.get("content-type")?.split(";")[0] ?? "";
  const content = declared.content?.[type];
  if (!content) {
    if (method !== "HEAD") expect(body, `${where} as ${type}`).toBe("");
    return;
  }
  if (type !== "application/json" || method === "HEAD") return;
  const schema = schemaOf(declared.content);
  // The frame adds them to every answer to a body with unknown fields.
  const isNoticed = headers.has("vigil-unknown-fields") && !membersOf(schema).includes("notices");
  const { notices: _, ...own } = body as Record<string, unknown>;
  const stated = isNoticed && !Array.isArray(body) ? own : body;
  const parsed = schema?.safeParse(stated);
  expect(parsed?.error?.issues ?? [], where).toEqual([]);
  // Parsing drops what the schema does not know.
  expect(stated, where).toStrictEqual(parsed?.data);
}

const matchers = ENDPOINTS.flatMap((endpoint) =>
  endpoint.policy.at.map((surface) => ({ endpoint, pattern: patternOf(SURFACES[surface] + endpoint.path) })),
);

/** The endpoint that answers here; the first that matches, as in the router. */
function findEndpoint(method: string, path: string): Endpoint | undefined {
  const pathname = new URL(path, "http://vigil.test").pathname;
  const wanted = method === "HEAD" ? "get" : method.toLowerCase();
  return matchers.find(({ endpoint, pattern }) => endpoint.method === wanted && pattern.test(pathname))?.endpoint;
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+")}$`);
}
