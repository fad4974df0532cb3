import type { Context } from "hono";
import { authenticateOptional } from "../access/credentials.ts";
import { findVisiblePage } from "../access/pages.ts";
import { requireRate } from "../access/rate-limit.ts";
import { ApiError, pageLocked } from "../contract/errors.ts";
import type { PagePayload } from "../contract/public-page.ts";
import type { Language } from "../contract/status-page.ts";
import { type CheckLag, findDelayedSince } from "../domain/check-schedule.ts";
import { buildPageUrls, type PageUrls } from "../domain/page-address.ts";
import type { AppEnv } from "../http/endpoint.ts";
import { html } from "../http/responses.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { sha256Hex } from "../platform/credentials.ts";
import { isUnavailable } from "../platform/d1-errors.ts";
import type { CachedPage } from "../platform/page-cache.ts";
import { isUnlocked } from "../platform/page-unlock.ts";
import { getRendering, keepRendering, type Rendering } from "../platform/rendering-cache.ts";
import type { RenderContext } from "./frame-view.ts";
import { buildPayload } from "./payload.ts";
import { readPage } from "./reader.ts";
import { chooseLanguage, findLanguage, TEXTS } from "./texts/registry.ts";
import type { Texts } from "./texts/texts.ts";
import { renderMessagePage } from "./views/pages.tsx";
import { renderUnlockPage } from "./views/unlock.tsx";

const FOR_EVERYBODY = "public, max-age=15, stale-if-error=600";
const FOR_MEMBERS = "private, no-store";

/** Nothing of a page is inline, nothing comes from elsewhere but the logo. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' https:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Any site may show it in a frame: it has no form, and nothing in it changes anything. */
export const EMBED_POLICY = PAGE_POLICY.replace("frame-ancestors 'none'", "frame-ancestors *").replace(
  "form-action 'self'",
  "form-action 'none'",
);

export const HTML = {
  type: "text/html; charset=utf-8",
  headers: { "Content-Security-Policy": PAGE_POLICY },
};

/** What documents of a page answer besides themselves. */
export const PAGE_ANSWERS = {
  304: { description: "As the If-None-Match says" },
  401: html("The page has a password; its form"),
  404: html("No such page, or none that you may see"),
  503: html("Temporarily unavailable"),
};

export interface VisiblePage {
  payload: PagePayload;
  viewing: RenderContext;
  /** Prefix of the keys of finished documents; null where nothing may be kept. */
  cache_key: string | null;
  cache_control: string;
}

/**
 * The page as far as the caller may see it: undefined without a page, or without access. Throws where visitors have to
 * enter a password and this one did not, unless a link that the page sent proves access to it (`provenPageId`).
 */
export async function loadPageForViewer(
  c: Context<AppEnv>,
  slug: string,
  provenPageId?: string,
): Promise<VisiblePage | undefined> {
  const { ctx, now } = c.var;
  const reading = await readPage(ctx, slug, announcedTo(c));
  if (reading.kind === "public") {
    const { known, payload, is_stale } = reading;
    if (known.page_id !== provenPageId && !isOpenTo(c, known)) throw pageLocked();
    // Whole minutes, so that an answer is rendered once a minute and its ETag lasts as long.
    const minute = Math.max(now - (now % MINUTE_MS), payload.generated_at);
    const address = addressOf(c, payload);
    const texts = textsFor(c, payload.page.language);
    const viewing = is_stale
      ? { as_of: known.confirmed_at, is_stale, late: null, address, texts }
      : { as_of: minute, is_stale, late: findLate(c, payload, known.checks), address, texts };
    const cache_key = is_stale ? null : `${payload.page.id} ${payload.version} ${payload.generated_at}`;
    return { payload, viewing, cache_key, cache_control: known.lock === null ? FOR_EVERYBODY : FOR_MEMBERS };
  }
  const known = reading.kind === "private" ? reading.known : null;
  const payload = await openForMember(c, known?.page_id ?? null);
  if (!payload || !known) return undefined;
  const late = findLate(c, payload, known.checks);
  const texts = textsFor(c, payload.page.language);
  const viewing = { as_of: now, is_stale: false, late, address: addressOf(c, payload), texts };
  return { payload, viewing, cache_key: null, cache_control: FOR_MEMBERS };
}

/** The version that an open page was told of. */
function announcedTo({ req }: Context<AppEnv>): number {
  const version = req.url.includes("v=") ? Number(req.query("v")) : 0;
  return Number.isSafeInteger(version) ? version : 0;
}

function isOpenTo({ req, var: { settings, now } }: Context<AppEnv>, { page_id, lock }: CachedPage): boolean {
  if (lock === null) return true;
  const cookies = req.header("cookie") ?? null;
  return isUnlocked(settings.ROOT_SECRET, { page: { page_id, lock }, now, cookies });
}

/** Of the reader, not of the payload, which both hosts share. */
function addressOf({ var: { isOwnDomain, publicUrl } }: Context<AppEnv>, { page }: PagePayload): PageUrls {
  return buildPageUrls(page, { service_url: publicUrl, is_own_domain: isOwnDomain === true });
}

/**
 * Decided at each read, so that a service whose cron has stopped reports it, too. A page of push monitors alone does not
 * depend on cron.
 */
function findLate({ var: { now, settings } }: Context<AppEnv>, payload: PagePayload, known: CheckLag) {
  const since = payload.needs_ticks ? findDelayedSince(known, now, settings.CHECKS_LATE_AFTER_MS) : null;
  // Whole minutes, as the rest of the page.
  return since === null ? null : { since, for_ms: now - since - ((now - since) % MINUTE_MS) };
}

/** Authenticates before it loads the page, so that the response does not distinguish a private page from none. */
async function openForMember(c: Context<AppEnv>, pageId: string | null): Promise<PagePayload | undefined> {
  const { ctx } = c.var;
  const principal = await authenticateOptional(ctx, c.req.raw);
  if (pageId === null) return undefined;
  const found = await findVisiblePage({ ...ctx, principal, loaded: new Map() }, pageId);
  return found && buildPayload(ctx.db, pageId, ctx.now);
}

interface Answer {
  /** Distinguishes the documents of one page. */
  name: string;
  type: string;
  headers: Record<string, string>;
  /** Undefined where the page has no such document. */
  make: () => string | Promise<string | undefined>;
  /** Visitors choose among many documents: each visitor may have a limited number of them made per minute. */
  is_chosen?: boolean;
}

/** Answers from the rendering of this minute, or makes it. Undefined where the page has no such document. */
export async function respond(c: Context<AppEnv>, shown: VisiblePage, answer: Answer): Promise<Response | undefined> {
  const rendering = await renderOnce(c, shown, answer);
  if (!rendering) return undefined;
  const { body, etag } = rendering;
  const headers = {
    ...answer.headers,
    "Content-Type": answer.type,
    "Cache-Control": shown.cache_control,
    ETag: etag,
    Vary: "Authorization, Cookie, Accept-Language",
  };
  return isKnownTo(c.req.header("if-none-match"), etag)
    ? new Response(null, { status: 304, headers })
    : new Response(body, { headers });
}

async function renderOnce(
  c: Context<AppEnv>,
  { cache_key, viewing }: VisiblePage,
  { name, make, is_chosen }: Answer,
): Promise<Rendering | undefined> {
  const { address, texts } = viewing;
  const key = `${cache_key} ${address.base} ${address.url} ${texts.language} ${name}`;
  const earlier = cache_key === null ? undefined : getRendering(key);
  const late_ms = viewing.late?.for_ms ?? null;
  if (earlier?.as_of === viewing.as_of && earlier.late_ms === late_ms) return earlier;
  if (is_chosen) await requireRate(c.var.ctx, "page_miss");
  const text = await make();
  if (text === undefined) return undefined;
  const body = new TextEncoder().encode(text);
  const rendering = { as_of: viewing.as_of, late_ms, body, etag: `"${sha256Hex(body).slice(0, 32)}"` };
  if (cache_key !== null) keepRendering(key, rendering);
  return rendering;
}

/** Compression on the way makes tags weak, which does not matter here. */
function isKnownTo(ifNoneMatch: string | undefined, etag: string): boolean {
  const known = (ifNoneMatch ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return known.includes(etag) || known.includes("*");
}

/** Errors are documents, too. */
export async function respondWithPage(
  c: Context<AppEnv>,
  show: () => Promise<Response | undefined>,
): Promise<Response> {
  try {
    return withChosenLanguage(c, (await show()) ?? respondNotFound(c));
  } catch (error) {
    if (error instanceof ApiError && error.status === 429) return respondTooMany(c, error);
    if (error instanceof ApiError && error.code === "page_full") return respondFull(c);
    if (error instanceof ApiError && error.code === "page_locked") return withChosenLanguage(c, respondLocked(c));
    const isOutage = error instanceof ApiError ? error.status === 503 : isUnavailable(error);
    if (!isOutage) throw error;
    c.var.log.error("page: unavailable", error);
    const texts = textsFor(c);
    const { unavailable: title, unavailable_text: text } = texts.messages;
    return answerMessage(renderMessagePage(texts, { title, text }), 503, { "Retry-After": "5" });
  }
}

function respondFull(c: Context<AppEnv>): Response {
  const texts = textsFor(c);
  const { full: title, full_text: text } = texts.messages;
  return answerMessage(renderMessagePage(texts, { title, text }), 403, {});
}

/** The unlock form. It says nothing of the page, not even its name. */
export function respondLocked(
  c: Context<AppEnv>,
  { problem, status, next }: { problem: string | null; status: 400 | 401 | 429; next?: string } = {
    problem: null,
    status: 401,
  },
  headers: Record<string, string> = {},
): Response {
  const slug = c.req.param("slug") ?? "";
  const own = { service_url: "", is_own_domain: c.var.isOwnDomain === true };
  const { base, home } = buildPageUrls({ slug, domain: null }, own);
  const path = `/status/${slug}`;
  const asked = c.req.path.startsWith(`${path}/`) ? c.req.path.slice(path.length) : "";
  const view = { texts: textsFor(c), base, home, next: next ?? asked, problem };
  return answerMessage(renderUnlockPage({ ...view, inFrame: c.req.path.startsWith("/embed/") }), status, headers);
}

export function respondNotFound(c: Context<AppEnv>, headers: Record<string, string> = {}): Response {
  const texts = textsFor(c);
  const { not_found: title, not_found_text: text, sign_in } = texts.messages;
  // Under its own domain a page has no sign-in form.
  const link = c.var.isOwnDomain ? undefined : { href: "/app/sign-in", text: sign_in };
  return answerMessage(renderMessagePage(texts, { title, text, link }), 404, headers);
}

/** A part of a page that is not there, or no longer. */
export function respondPartNotFound(
  { texts, address }: RenderContext,
  { not_found: title, not_found_text: text }: { not_found: string; not_found_text: string },
): Response {
  const link = { href: address.home, text: texts.frame.all_services };
  return answerMessage(renderMessagePage(texts, { title, text, link }), 404, {});
}

/** For errors outside the handlers of documents; undefined is a bug of the service. */
export function respondWithError(c: Context<AppEnv>, error: ApiError | undefined): Response {
  const texts = textsFor(c);
  const words = texts.messages;
  switch (error?.status) {
    case 404:
    case 405:
      return respondNotFound(c, error.headers);
    case 429:
      return respondTooMany(c, error);
    case 400: {
      const message = { title: words.invalid, text: words.invalid_text };
      return answerMessage(renderMessagePage(texts, message), 400, error.headers);
    }
    case undefined: {
      const message = { title: words.internal, text: words.internal_text };
      return answerMessage(renderMessagePage(texts, message), 500, {});
    }
    default: {
      const message = { title: words.rejected, text: `${error?.message}.` };
      return answerMessage(renderMessagePage(texts, message), error?.status ?? 500, {});
    }
  }
}

function respondTooMany(c: Context<AppEnv>, error: ApiError): Response {
  const texts = textsFor(c);
  const text = texts.messages.too_many_text(error.headers["Retry-After"] ?? "60");
  return answerMessage(renderMessagePage(texts, { title: texts.messages.too_many, text }), 429, error.headers);
}

/** What this visitor reads; `page` is the language of the page, as far as it is known. */
export function textsFor({ req }: Context<AppEnv>, page: Language = "en"): Texts {
  const cookies = req.header("cookie");
  const cookie = cookies && /(?:^|;\s*)vigil_language=([a-z]{2})(?:;|$)/.exec(cookies)?.[1];
  const query = req.url.includes("lang=") ? req.query("lang") : undefined;
  const chosen = findLanguage(query ?? "") ?? cookie;
  return TEXTS[chooseLanguage({ chosen, accept: req.header("accept-language") ?? null, page })];
}

const CHOICE_SECONDS = 365 * 24 * 60 * 60;

/** The switch of the page is a link, so that it works without a script; the browser keeps what was chosen. */
function withChosenLanguage({ req }: Context<AppEnv>, response: Response): Response {
  const chosen = req.url.includes("lang=") ? findLanguage(req.query("lang") ?? "") : undefined;
  if (chosen === undefined) return response;
  const headers = new Headers(response.headers);
  headers.append("Set-Cookie", `vigil_language=${chosen}; Path=/; SameSite=Lax; Max-Age=${CHOICE_SECONDS}`);
  headers.set("Cache-Control", FOR_MEMBERS);
  return new Response(response.body, { status: response.status, headers });
}

function answerMessage(body: string, status: number, headers: Record<string, string>): Response {
  return answerText(
    body,
    { ...headers, ...HTML.headers, "Content-Type": HTML.type, "Cache-Control": "no-store" },
    status,
  );
}

export function answerText(body: string, headers: Record<string, string>, status = 200): Response {
  return new Response(body, { status, headers });
}
