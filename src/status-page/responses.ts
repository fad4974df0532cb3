import type { Context } from "hono";
import { authenticateOptional } from "../access/credentials.ts";
import { getOwnerPlan } from "../access/owners.ts";
import { findVisiblePage } from "../access/pages.ts";
import { requireRate } from "../access/rate-limit.ts";
import { lacksSecondFactor } from "../access/session-policy.ts";
import { ApiError, invalid, pageLocked } from "../contract/errors.ts";
import type { PageReader } from "../contract/page-object.ts";
import type { PagePayload } from "../contract/public-page.ts";
import { findPageOwner } from "../data/status-pages/read.ts";
import { type CheckLag, findDelayedSince } from "../domain/check-schedule.ts";
import { buildPageUrls, type PageUrls } from "../domain/page-address.ts";
import type { AppEnv } from "../http/endpoint.ts";
import { isKnownTo } from "../http/entity-tags.ts";
import { html } from "../http/responses.ts";
import { findLanguage } from "../language/languages.ts";
import { DAY_MS, MINUTE_MS } from "../lib/durations.ts";
import { sha256Hex } from "../platform/credentials.ts";
import { isUnavailable } from "../platform/d1-errors.ts";
import { type CachedPage, cacheEpoch, getPrivatePayload, keepPrivatePayload } from "../platform/page-cache.ts";
import { isUnlocked } from "../platform/page-unlock.ts";
import { getRendering, keepRendering, type Rendering } from "../platform/rendering-cache.ts";
import type { RenderContext } from "./frame-view.ts";
import {
  respondFull,
  respondLocked,
  respondNotFound,
  respondTooMany,
  respondUnavailable,
  textsFor,
} from "./messages.ts";
import { buildPastPayload } from "./past.ts";
import { buildPayload } from "./payload.ts";
import { readPage } from "./reader.ts";
import { keepWarmAnswer } from "./warm-answers.ts";

const FOR_EVERYBODY = "public, max-age=15, stale-if-error=600";
const FOR_MEMBERS = "private, no-store";

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
  /** What a public page's answer may be kept with, ready for the next reader; see warm-answers.ts. */
  memo: CachedPage | null;
  /** By which right it is seen. */
  reader: PageReader;
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
    const texts = await textsFor(c, payload.page.language);
    const viewing = is_stale
      ? { as_of: known.confirmed_at, is_stale, late: null, address, texts }
      : { as_of: minute, is_stale, late: findLate(c, payload, known.checks), address, texts };
    const cache_key = is_stale ? null : `${payload.page.id} ${payload.version} ${payload.generated_at}`;
    const isOpen = known.lock === null;
    const cache_control = isOpen ? FOR_EVERYBODY : FOR_MEMBERS;
    const reader: PageReader = { kind: "public", lock: known.lock };
    return { payload, viewing, cache_key, cache_control, memo: isOpen && !is_stale ? known : null, reader };
  }
  const known = reading.kind === "private" ? reading.known : null;
  const opened = await openForMember(c, known?.page_id ?? null);
  if (!opened || !known) {
    // Strangers can guess any number of addresses, each of which the database is asked for.
    await requireRate(ctx, "page_miss");
    return undefined;
  }
  const { payload, reader } = opened;
  const minute = Math.max(now - (now % MINUTE_MS), payload.generated_at);
  const late = findLate(c, payload, known.checks);
  const texts = await textsFor(c, payload.page.language);
  const viewing = { as_of: minute, is_stale: false, late, address: addressOf(c, payload), texts };
  const cache_key = `private ${payload.page.id} ${payload.version} ${payload.generated_at}`;
  return { payload, viewing, cache_key, cache_control: FOR_MEMBERS, memo: null, reader };
}

/**
 * The page as far as the caller may see it, now or as it was at an instant: undefined before it was made, and beyond what
 * its owner's plan keeps. Visitors choose any instant, so each may have a limited number of pasts built per minute.
 */
export async function loadPageAt(
  c: Context<AppEnv>,
  slug: string,
  at: number | undefined,
): Promise<VisiblePage | undefined> {
  const shown = await loadPageForViewer(c, slug);
  if (!shown || at === undefined) return shown;
  const { ctx, now } = c.var;
  if (at > now) throw invalid("at must not be in the future");
  await requireRate(ctx, "page_miss");
  const { version } = shown.payload;
  const { id } = shown.payload.page;
  const owner = await findPageOwner(ctx.db, id);
  if (!owner || at < now - ctx.settings.HISTORY_DAYS[await getOwnerPlan(ctx, owner)] * DAY_MS) return undefined;
  const payload = await buildPastPayload(ctx.db, id, at);
  if (!payload) return undefined;
  const viewing = { ...shown.viewing, as_of: at, is_stale: false, late: null, is_past: true };
  const cache_key = shown.cache_key && `past ${id} ${version} ${at}`;
  return { ...shown, payload, viewing, cache_key, memo: null };
}

/** The version that an open page has received. */
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

/**
 * Authenticates before it loads the page, so that the response does not distinguish a private page from none. A reader
 * with a credential is counted as with any other request that it serves; what a version of the page shows is built
 * once.
 */
async function openForMember(
  c: Context<AppEnv>,
  pageId: string | null,
): Promise<{ payload: PagePayload; reader: PageReader } | undefined> {
  const { ctx } = c.var;
  const principal = await authenticateOptional(ctx, c.req.raw);
  const asked = { ...ctx, principal, loaded: new Map() };
  if (principal.kind !== "user" || lacksSecondFactor(principal, ctx.now)) return undefined;
  const credential_id = principal.session_id ?? principal.token_id ?? undefined;
  const reader: PageReader = { kind: "member", user_id: principal.user_id, credential_id };
  await requireRate(asked, "api");
  if (pageId === null) return undefined;
  const found = await findVisiblePage(asked, pageId);
  if (!found) return undefined;
  const kept = getPrivatePayload(pageId, { version: found.page.version, now: ctx.now });
  if (kept) return { payload: kept, reader };
  const epoch = cacheEpoch();
  const payload = await buildPayload(ctx.db, pageId, ctx.now);
  if (!payload) return undefined;
  keepPrivatePayload(pageId, payload, epoch);
  return { payload, reader };
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
  if (!answer.is_chosen) keepWarmAnswer(c, { ...shown, headers, rendering });
  return isKnownTo(c.req.header("if-none-match") ?? null, etag)
    ? new Response(null, { status: 304, headers })
    : new Response(body, { headers });
}

export async function renderOnce(
  c: Context<AppEnv>,
  { cache_key, viewing }: Pick<VisiblePage, "cache_key" | "viewing">,
  { name, make, is_chosen }: Pick<Answer, "name" | "make" | "is_chosen">,
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

/** Errors are documents, too. */
export async function respondWithPage(
  c: Context<AppEnv>,
  show: () => Promise<Response | undefined>,
): Promise<Response> {
  try {
    return withChosenLanguage(c, (await show()) ?? (await respondNotFound(c)));
  } catch (error) {
    if (error instanceof ApiError && error.status === 429) return respondTooMany(c, error);
    if (error instanceof ApiError && error.code === "page_full") return respondFull(c);
    if (error instanceof ApiError && error.code === "page_locked") return withChosenLanguage(c, await respondLocked(c));
    const isOutage = error instanceof ApiError ? error.status === 503 : isUnavailable(error);
    if (!isOutage) throw error;
    c.var.log.error("page: unavailable", error);
    return respondUnavailable(c);
  }
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
