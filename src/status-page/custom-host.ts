import type { Context, MiddlewareHandler } from "hono";
import { findSlugOfHost } from "../data/custom-domains/read.ts";
import { openDb } from "../data/db.ts";
import { buildPageUrls } from "../domain/page-address.ts";
import type { AppEnv } from "../http/endpoint.ts";
import { now } from "../platform/clock.ts";
import { isUnavailable } from "../platform/d1-errors.ts";
import { isServiceHost, mayBeOwnHost } from "../platform/egress/service-hosts.ts";
import type { Env } from "../platform/env.ts";
import { cacheHost, getCachedHost } from "../platform/host-cache.ts";
import { type Settings, settingsOf } from "../platform/settings.ts";

/**
 * Decides by the Host what a request may reach. The service's own names reach everything; a name that a page has proven
 * reaches that page alone, at `/`; any other name reaches nothing. The name is only ever looked up, never called.
 */
const ABSENT_MEMO_MS = 10_000;
const STYLESHEETS = "/assets/status-page/";
const ROBOTS = "/robots.txt";
/** Subdomains of a custom domain are not served. */
export const TRANSPORT_SECURITY = "max-age=31536000";

/** An operator who sees this on the service's own name learns what to do. */
const NOTHING_HERE = "no status page is served under this host name; the service's own is the setting PUBLIC_URL";

type Answer = (request: Request, env: Env, context: Context["executionCtx"]) => Response | Promise<Response>;

/** Outermost of all. `answer` is the whole app, to which requests for a page come back under the page's address. */
export function routeHosts(answer: Answer): MiddlewareHandler<AppEnv> {
  const routed = new WeakMap<Request, { url: string; host: string }>();
  return async (c, next) => {
    const settings = settingsOf(c.env);
    // By far the most requests, and no address has to be taken apart for them.
    if (c.req.url.startsWith(`${settings.PUBLIC_URL}/`)) return next();
    const visited = routed.get(c.req.raw);
    if (visited) {
      c.set("isOwnDomain", true);
      c.set("visited", visited);
      return next();
    }
    const url = new URL(c.req.url);
    const host = url.hostname.replace(/\.$/, "");
    if (isServiceHost(settings, host)) return next();
    c.set("visited", { url: c.req.url, host });
    const found = await findPageOf(c.env, settings, host);
    if (found === null) return mayBeOwnHost(host) ? next() : refuse(404, NOTHING_HERE);
    if (found === "unavailable") return mayBeOwnHost(host) ? next() : refuse(503, "a store is not reachable");
    url.pathname = addressOnPage(found.slug, url.pathname);
    const request = new Request(url, c.req.raw);
    routed.set(request, { url: c.req.url, host });
    const page = await answer(request, c.env, c.executionCtx);
    if (page.webSocket) return page;
    const headers = new Headers(page.headers);
    headers.set("Strict-Transport-Security", TRANSPORT_SECURITY);
    return new Response(page.body, { status: page.status, headers });
  };
}

type Found = { slug: string } | null | "unavailable";

/** Without the database, what was known last. */
async function findPageOf(env: Env, settings: Settings, host: string): Promise<Found> {
  const at = now();
  const known = getCachedHost(host);
  if (known && isHostCurrent(settings, { host, slug: known.slug, now: at })) return toFound(known.slug);
  try {
    const slug = (await findSlugOfHost(openDb(env.DB), host)) ?? null;
    cacheHost(host, { slug, known_at: at });
    return toFound(slug);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return known ? toFound(known.slug) : "unavailable";
  }
}

/** Whether this isolate knows, and recently enough, that the name leads to this page, or to none. */
export function isHostCurrent(
  settings: Settings,
  { host, slug, now: at }: { host: string; slug: string | null; now: number },
): boolean {
  const known = getCachedHost(host);
  const keptMs = slug === null ? ABSENT_MEMO_MS : settings.PAGE_MEMO_MS;
  return known !== undefined && known.slug === slug && at - known.known_at < keptMs;
}

function toFound(slug: string | null): Found {
  return slug === null ? null : { slug };
}

/** The page's address on the service's host works here as well: mails from before the domain was there name it. */
function addressOnPage(slug: string, pathname: string): string {
  const page = buildPageUrls({ slug, domain: null }, { service_url: "", is_own_domain: false }).base;
  if (pathname === "/") return page;
  const isComplete =
    pathname === page || pathname.startsWith(`${page}/`) || pathname.startsWith(STYLESHEETS) || pathname === ROBOTS;
  return isComplete ? pathname : page + pathname;
}

function refuse(status: 404 | 503, error: string): Response {
  const headers = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };
  const code = status === 404 ? "not_found" : "unavailable";
  return Response.json(
    { error, code },
    { status, headers: status === 503 ? { ...headers, "Retry-After": "5" } : headers },
  );
}
