import type { RequestScope, Scope } from "../access/scope.ts";
import type { RateClass } from "../contract/limiter-object.ts";
import { now } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { newId } from "../platform/ids.ts";
import { createLogger } from "../platform/logger.ts";
import { type Settings, settingsOf } from "../platform/settings.ts";
import { toErrorResponse } from "./errors.ts";
import { recordResponse } from "./recorded-response.ts";
import { completeHeaders, REQUEST_ID_HEADER, stateRateLimit } from "./response-headers.ts";

/**
 * Requests that come in masses are answered ahead of the router, which costs more than they do. What clients, logs and
 * counters see of them is the same as behind it.
 */
export type Deferring = Pick<ExecutionContext, "waitUntil">;
/** Most such requests never ask the database, so it is opened by those that do. */
type DirectScope = Omit<Scope, "db"> & Pick<RequestScope, "defer">;

interface DirectCall<Taken> {
  request: Request;
  env: Env;
  context: Deferring;
  /** As the router names it. */
  route: string;
  rateClass: RateClass;
  take: (scope: DirectScope) => Promise<Taken>;
  present: (taken: Taken) => object;
}

export async function answerDirectly<Taken>({
  request,
  env,
  context,
  route,
  rateClass,
  take,
  present,
}: DirectCall<Taken>): Promise<Response> {
  const started = now();
  const settings = settingsOf(env);
  const requestId = newId(started);
  const log = createLogger(settings, { request_id: requestId });
  let response: Response;
  try {
    const defer = (work: Promise<unknown>) => context.waitUntil(work);
    const body = JSON.stringify(present(await take({ env, settings, log, now: started, defer })));
    response = new Response(body, { headers: headersOf(settings, rateClass, requestId) });
  } catch (error) {
    response = toErrorResponse(error, requestId, log);
    completeHeaders(response.headers);
    stateRateLimit(response.headers, settings, rateClass);
    response.headers.set(REQUEST_ID_HEADER, requestId);
  }
  const { method } = request;
  recordResponse({ method, route, status: response.status, started, requestId, settings, log, rateClass });
  return response;
}

const ready = new WeakMap<Settings, Map<RateClass, Headers>>();

/** Of a success. A response copies them, so that all share one but for the id of the request. */
function headersOf(settings: Settings, rateClass: RateClass, requestId: string): Headers {
  const byClass = ready.get(settings) ?? new Map<RateClass, Headers>();
  ready.set(settings, byClass);
  let headers = byClass.get(rateClass);
  if (!headers) {
    headers = new Headers({ "Content-Type": "application/json" });
    completeHeaders(headers);
    stateRateLimit(headers, settings, rateClass);
    byClass.set(rateClass, headers);
  }
  headers.set(REQUEST_ID_HEADER, requestId);
  return headers;
}
