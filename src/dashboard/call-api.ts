import { ApiError, ERROR_CODES } from "../contract/errors.ts";
import type { AppContext } from "../http/endpoint.ts";
import { ErrorBody } from "../http/responses.ts";
import type { Problems } from "./form-fields.ts";

export interface ApiCall {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With prefix and query: `/api/uptime/v1/monitors`. */
  path: string;
  body?: unknown;
  /** By which the endpoint knows a call that is made again. */
  idempotency_key?: string;
}

/** `total` of a list counts what lies on its other pages, too. */
export type ApiAnswer = { ok: true; status: number; body: unknown; total: number } | ApiRefusal;

export interface ApiRefusal {
  ok: false;
  status: number;
  error: string;
  code: string | null;
  /** By the member that each problem is about, of an entry of a list `list[0].member`; `""` where it is about none. */
  problems: Problems;
  headers: Record<string, string>;
}

/** What the endpoint judges a request by, besides its address and body. */
const FORWARDED = [
  "authorization",
  "cookie",
  "cf-access-jwt-assertion",
  "origin",
  "sec-fetch-site",
  "cf-connecting-ip",
  "user-agent",
];

/**
 * Sends the caller's own request to an endpoint of the API within this invocation. Choice: every write of the dashboard
 * is such a request, so that permission, plan, validation, audit and rate limit are those of the endpoint and cannot
 * drift from it.
 */
export async function callApi(c: AppContext, call: ApiCall): Promise<ApiAnswer> {
  const answer = await callOnce(c, call);
  // Its twin, which came at the same time, has just stored what both of them ask for.
  const isTwin = call.idempotency_key !== undefined && !answer.ok && answer.status === 409;
  return isTwin && "Retry-After" in answer.headers ? callOnce(c, call) : answer;
}

async function callOnce(c: AppContext, { method, path, body, idempotency_key }: ApiCall): Promise<ApiAnswer> {
  const headers = new Headers();
  for (const name of FORWARDED) {
    const value = c.req.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  if (body !== undefined) headers.set("content-type", "application/json");
  if (idempotency_key !== undefined) headers.set("idempotency-key", idempotency_key);
  const request = new Request(new URL(path, c.req.url), {
    method,
    headers,
    cf: c.req.raw.cf,
    body: body === undefined ? null : JSON.stringify(body),
  });
  const response = await c.var.dispatch(request);
  // It may have changed what this request has read.
  c.var.ctx.loaded.clear();
  const text = await response.text();
  const parsed: unknown = text === "" ? null : JSON.parse(text);
  const total = Number(response.headers.get("x-total-count") ?? 0);
  if (response.ok) return { ok: true, status: response.status, body: parsed, total };
  return toRefusal(response, parsed);
}

/** For actions without a form to return to: a refusal becomes the error page. */
export async function requireApi(c: AppContext, call: ApiCall): Promise<unknown> {
  const answer = await callApi(c, call);
  if (answer.ok) return answer.body;
  throw errorOf(answer);
}

export function errorOf({ status, error, code, headers }: ApiRefusal): ApiError {
  const extras = {
    headers,
    code: Object.values(ERROR_CODES)
      .flat()
      .find((each) => each === code),
  };
  const known = STATUSES.find((each) => each === status);
  if (known === undefined) throw new Error(`the API answered ${status}: ${error}`);
  return new ApiError(known, error, extras);
}

const STATUSES: readonly ApiError["status"][] = [400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 503];

/** What an error is about, by the member that its sentence begins with. */
export function problemsIn(error: string): Problems {
  const { path, message } = detailIn(error);
  return { [path]: message };
}

/** Sentences of errors begin with the member that they are about. */
function detailIn(error: string) {
  const [, path = "", message = error] = /^([a-z][a-z0-9_]*(?:[.[]\S*)?) (.*)$/s.exec(error) ?? [];
  return { path: keyOf(path), message };
}

/** The fields of a provider, and those of each entry of a list, stand in a form each by itself. */
function keyOf(path: string): string {
  return /^(?:config\.\w+|\w+[.[]\d+\]?\.\w+|\w*)/.exec(path)?.[0] ?? "";
}

function toRefusal(response: Response, parsed: unknown): ApiRefusal {
  const body = ErrorBody.parse(parsed);
  const retryAfter = response.headers.get("retry-after");
  const problems: Problems = {};
  for (const { path, message } of body.details ?? [detailIn(body.error)]) {
    problems[keyOf(path)] ??= message;
  }
  return {
    ok: false,
    status: response.status,
    error: body.error,
    code: body.code ?? null,
    problems,
    headers: retryAfter === null ? {} : { "Retry-After": retryAfter },
  };
}
