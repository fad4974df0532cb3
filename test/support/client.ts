import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect } from "vitest";
import worker from "../../src/worker.ts";
import { expectDeclared } from "./declared.ts";

export const CORE = "/api/core/v1";
export const V1 = "/api/uptime/v1";
export const V2 = "/api/uptime/v2";

export interface Answer<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

// Tests read the members that they assert; an absent one is undefined and fails the assertion.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Json = any;

export interface Client {
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<Json>>;
  get(path: string): Promise<Answer<Json>>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<Json>>;
  put(path: string, body?: unknown): Promise<Answer<Json>>;
  patch(path: string, body?: unknown): Promise<Answer<Json>>;
  delete(path: string): Promise<Answer<Json>>;
}

type Send = (request: Request<unknown, IncomingRequestCfProperties>) => Promise<Response>;

/** A client of a worker with other settings. */
export function createClientUnder(settings: Record<string, unknown>, token?: string): Client {
  return createClient(token, async (request) => {
    const context = createExecutionContext();
    const response = await worker.fetch(request, { ...env, ...settings }, context);
    await waitOnExecutionContext(context);
    return response;
  });
}

/**
 * Speaks to the worker as a client over HTTP would. Every refusal has to have the one error shape, and every answer one
 * that its endpoint declares.
 */
export function createClient(token?: string, send: Send = (request) => exports.default.fetch(request)): Client {
  const request: Client["request"] = async (method, path, body, headers = {}) => {
    const sent = new Request<unknown, IncomingRequestCfProperties>(`http://vigil.test${path}`, {
      method,
      redirect: "manual",
      headers: {
        ...(token === undefined || headers.cookie !== undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
    });
    const response = await send(sent);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
    const parsed: Json = isJson && method !== "HEAD" ? JSON.parse(text) : text;
    if (response.status >= 400 && isJson && method !== "HEAD")
      expect(parsed).toMatchObject({ error: expect.any(String) });
    expectDeclared({ method, path, status: response.status, headers: response.headers, body: parsed });
    return { status: response.status, headers: response.headers, body: parsed };
  };
  return {
    request,
    get: (path) => request("GET", path),
    post: (path, body, headers) => request("POST", path, body, headers),
    put: (path, body) => request("PUT", path, body),
    patch: (path, body) => request("PATCH", path, body),
    delete: (path) => request("DELETE", path),
  };
}
