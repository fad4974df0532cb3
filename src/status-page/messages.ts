import type { Context } from "hono";
import type { ApiError } from "../contract/errors.ts";
import type { Language } from "../contract/status-page.ts";
import { buildPageUrls } from "../domain/page-address.ts";
import type { AppEnv } from "../http/endpoint.ts";
import { chooseLanguage, findLanguage } from "../language/languages.ts";
import { loadTexts, type PageTexts } from "../language/texts.ts";
import type { RenderContext } from "./frame-view.ts";
import { EMBED_MESSAGE_POLICY, pagePolicy } from "./policy.ts";
import type { ThemeChoice } from "./theme.ts";
import { renderMessagePage } from "./views/pages.tsx";
import { renderUnlockPage } from "./views/unlock.tsx";

/** What visitors see instead of a document: messages in their language, and the form for the page's password. */

/** How a document of a page is answered; null for documents of no page that the visitor may know of. */
export function htmlOf(choice: ThemeChoice | null) {
  return { type: "text/html; charset=utf-8", headers: { "Content-Security-Policy": pagePolicy(choice) } };
}

/** Documents in frames on other sites, also where the page is locked or there is none. */
export const framedBy = (policy: string) => ({
  type: "text/html; charset=utf-8",
  headers: { "Content-Security-Policy": policy, "Cross-Origin-Resource-Policy": "cross-origin" },
});

function isFramed({ req }: Context<AppEnv>): boolean {
  return req.path.startsWith("/embed/");
}

/** What this visitor reads; `page` is the language of the page, as far as it is known. */
export function textsFor({ req, env }: Context<AppEnv>, page: Language = "en"): Promise<PageTexts> {
  const cookies = req.header("cookie");
  const cookie = cookies && /(?:^|;\s*)vigil_language=([\w-]{2,20})(?:;|$)/.exec(cookies)?.[1];
  const query = req.url.includes("lang=") ? req.query("lang") : undefined;
  const chosen = findLanguage(query ?? "") ?? cookie;
  const language = chooseLanguage({ chosen, accept: req.header("accept-language") ?? null, page });
  return loadTexts(env, "page", language);
}

export async function respondUnavailable(c: Context<AppEnv>): Promise<Response> {
  const texts = await textsFor(c);
  const { unavailable: title, unavailable_text: text } = texts.messages;
  return answerMessage(c, renderMessagePage(texts, { title, text }), 503, { "Retry-After": "5" });
}

export async function respondFull(c: Context<AppEnv>): Promise<Response> {
  const texts = await textsFor(c);
  const { full: title, full_text: text } = texts.messages;
  return answerMessage(c, renderMessagePage(texts, { title, text }), 403, {});
}

/** The unlock form. It says nothing of the page, not even its name. */
export async function respondLocked(
  c: Context<AppEnv>,
  { problem, status, next }: { problem: string | null; status: 400 | 401 | 429; next?: string } = {
    problem: null,
    status: 401,
  },
  headers: Record<string, string> = {},
): Promise<Response> {
  const slug = c.req.param("slug") ?? "";
  const own = { service_url: "", is_own_domain: c.var.isOwnDomain === true };
  const { base, home } = buildPageUrls({ slug, domain: null }, own);
  const path = `/status/${slug}`;
  const asked = c.req.path.startsWith(`${path}/`) ? c.req.path.slice(path.length) : "";
  const view = { texts: await textsFor(c), base, home, next: next ?? asked, problem };
  return answerMessage(c, renderUnlockPage({ ...view, inFrame: isFramed(c) }), status, headers);
}

/** People see the same where an address takes forms only; programs read the status and Allow. */
export async function respondNotFound(
  c: Context<AppEnv>,
  { status, headers }: Pick<ApiError, "status" | "headers"> = { status: 404, headers: {} },
): Promise<Response> {
  const texts = await textsFor(c);
  const { not_found: title, not_found_text: text, sign_in } = texts.messages;
  // Under its own domain a page has no sign-in form, and in a frame of another site none appears.
  const link = c.var.isOwnDomain || isFramed(c) ? undefined : { href: "/app/sign-in", text: sign_in };
  return answerMessage(c, renderMessagePage(texts, { title, text, link }), status, headers);
}

/** A part of a page that is not there, or no longer. */
export function respondPartNotFound(
  c: Context<AppEnv>,
  pageName: string,
  { texts, address }: RenderContext,
  { not_found: title, not_found_text: text }: { not_found: string; not_found_text: string },
): Response {
  const link = { href: address.home, text: `${pageName}: ${texts.frame.all_services}` };
  return answerMessage(c, renderMessagePage(texts, { title, text, link }), 404, {});
}

/** For errors outside the handlers of documents; undefined is a bug of the service. */
export async function respondWithError(c: Context<AppEnv>, error: ApiError | undefined): Promise<Response> {
  const texts = await textsFor(c);
  const words = texts.messages;
  switch (error?.status) {
    case 404:
    case 405:
      return respondNotFound(c, error);
    case 429:
      return respondTooMany(c, error);
    case 400: {
      const message = { title: words.invalid, text: words.invalid_text };
      return answerMessage(c, renderMessagePage(texts, message), 400, error.headers);
    }
    case undefined: {
      const message = { title: words.internal, text: words.internal_text };
      return answerMessage(c, renderMessagePage(texts, message), 500, {});
    }
    default: {
      const message = { title: words.rejected, text: `${error?.message}.` };
      return answerMessage(c, renderMessagePage(texts, message), error?.status ?? 500, {});
    }
  }
}

export async function respondTooMany(c: Context<AppEnv>, error: ApiError): Promise<Response> {
  const texts = await textsFor(c);
  const text = texts.messages.too_many_text({ seconds: error.headers["Retry-After"] ?? "60" });
  return answerMessage(c, renderMessagePage(texts, { title: texts.messages.too_many, text }), 429, error.headers);
}

function answerMessage(c: Context<AppEnv>, body: string, status: number, headers: Record<string, string>): Response {
  const { type, headers: own } = isFramed(c) ? framedBy(EMBED_MESSAGE_POLICY) : htmlOf(null);
  return answerText(body, { ...headers, ...own, "Content-Type": type, "Cache-Control": "no-store" }, status);
}

export function answerText(body: string, headers: Record<string, string>, status = 200): Response {
  return new Response(body, { status, headers });
}
