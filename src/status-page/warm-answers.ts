import type { Context } from "hono";
import type { PagePayload } from "../contract/public-page.ts";
import type { Language } from "../contract/status-page.ts";
import { findDelayedSince } from "../domain/check-schedule.ts";
import type { AppEnv } from "../http/endpoint.ts";
import { isKnownTo } from "../http/entity-tags.ts";
import { completeHeaders, REQUEST_ID_HEADER } from "../http/response-headers.ts";
import { acceptedLanguage } from "../language/languages.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { now as readClock } from "../platform/clock.ts";
import { newId } from "../platform/ids.ts";
import { HOP_HEADER } from "../platform/installation.ts";
import { createLogger } from "../platform/logger.ts";
import { type CachedPage, getCachedPage, isRenewalDue } from "../platform/page-cache.ts";
import type { Rendering } from "../platform/rendering-cache.ts";
import { type Settings, settingsOf } from "../platform/settings.ts";
import { countUnits } from "../platform/usage.ts";
import { isHostCurrent, TRANSPORT_SECURITY } from "./custom-host.ts";

/**
 * Ready answers, headers and all, by address and language. For as long as the memo of their page is fresh, readers get
 * them ahead of the router and of everything behind it, which costs more than the answer itself.
 */
interface WarmAnswer {
  slug: string;
  /** The memo that the answer was made from, or a later one that says the same. */
  page: CachedPage;
  /** Epoch ms. */
  valid_until: number;
  /** Where the address is not of the service itself, the name that has to lead to the page. */
  host: string | null;
  isOwnDomain: boolean;
  route: string;
  headers: Headers;
  rendering: Rendering;
}

const ANSWERS_MAX = 500;
/** Visitors choose what they write of the languages that they accept, so there are bounds. */
const LANGUAGES_LENGTH_MAX = 200;
const WISHES_MAX = 500;

const kept = new Map<string, WarmAnswer>();

export interface KeptAnswer {
  /** Null where the answer is not for everybody, or not the present truth. */
  memo: CachedPage | null;
  payload: PagePayload;
  headers: Record<string, string>;
  rendering: Rendering;
}

export function keepWarmAnswer(c: Context<AppEnv>, { memo, payload, headers, rendering }: KeptAnswer): void {
  const { visited, isOwnDomain = false, now } = c.var;
  const url = visited?.url ?? c.req.url;
  if (memo === null || url.includes("?") || !isForEverybody(c.req.raw)) return;
  const key = keyOf(url, c.req.raw);
  if (key === null) return;
  const all = new Headers(headers);
  completeHeaders(all);
  if (isOwnDomain) all.set("Strict-Transport-Security", TRANSPORT_SECURITY);
  kept.delete(key);
  kept.set(key, {
    slug: payload.page.slug,
    page: memo,
    valid_until: Math.min(payload.valid_until, now - (now % MINUTE_MS) + MINUTE_MS),
    host: visited?.host ?? null,
    isOwnDomain,
    route: c.req.routePath,
    headers: all,
    rendering,
  });
  const [oldest] = kept.keys();
  if (kept.size > ANSWERS_MAX && oldest !== undefined) kept.delete(oldest);
}

/** Undefined where the request has to go the ordinary way. */
export function answerWarm(request: Request, env: object | undefined): Response | undefined {
  if (request.method !== "GET" || env === undefined) return undefined;
  const key = keyOf(request.url, request);
  const warm = key === null ? undefined : kept.get(key);
  if (!warm || !isForEverybody(request)) return undefined;
  const now = readClock();
  const settings = settingsOf(env);
  if (!isCurrent(warm, settings, now)) return undefined;
  const request_id = newId(now);
  const isKnown = isKnownTo(request.headers.get("if-none-match"), warm.rendering.etag);
  const response = isKnown
    ? new Response(null, { status: 304, headers: warm.headers })
    : new Response(warm.rendering.body, { headers: warm.headers });
  response.headers.set(REQUEST_ID_HEADER, request_id);
  countUnits({ responses: 1 });
  createLogger(settings, { request_id }).debug("request", {
    method: "GET",
    route: warm.route,
    status: response.status,
    ms: readClock() - now,
  });
  return response;
}

function isCurrent(warm: WarmAnswer, settings: Settings, now: number): boolean {
  const { slug, isOwnDomain, host, valid_until } = warm;
  const page = getCachedPage(slug);
  if (page === undefined || now >= valid_until) return false;
  if (page !== warm.page && !saysTheSame(page, warm, findDelayedSince(page.checks, now, settings.CHECKS_LATE_AFTER_MS)))
    return false;
  const age = now - page.confirmed_at;
  if (age >= settings.PAGE_MEMO_MS || isRenewalDue(slug, age, settings.PAGE_MEMO_MS)) return false;
  warm.page = page;
  return host === null || isHostCurrent(settings, { host, slug: isOwnDomain ? slug : null, now });
}

/** A page that was found unchanged has the same payload; what is not part of it are its password and the punctuality of its checks. */
function saysTheSame(
  { payload, lock }: CachedPage,
  { page, rendering }: WarmAnswer,
  delayedSince: number | null,
): boolean {
  const isPunctual = rendering.late_ms === null && (delayedSince === null || payload?.needs_ticks === false);
  return payload === page.payload && lock === page.lock && isPunctual;
}

/** Cookies and credentials may change what a visitor gets; the service's own requests are refused elsewhere. */
function isForEverybody({ headers }: Request): boolean {
  return !headers.has("cookie") && !headers.has("authorization") && !headers.has(HOP_HEADER);
}

function keyOf(url: string, { headers }: Request): string | null {
  const languages = headers.get("accept-language") ?? "";
  return languages.length > LANGUAGES_LENGTH_MAX ? null : `${url} ${findWish(languages)}`;
}

/** Browsers name their languages in any number of ways, which come to a few answers. */
const wishes = new Map<string, Language | "own">();

/** "own" is the language of the page. */
function findWish(languages: string): Language | "own" {
  const known = wishes.get(languages);
  if (known !== undefined) return known;
  const wish = acceptedLanguage(languages) ?? "own";
  if (wishes.size >= WISHES_MAX) wishes.clear();
  wishes.set(languages, wish);
  return wish;
}
