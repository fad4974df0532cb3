import type { ApiError } from "../contract/errors.ts";
import type { ErrorPage } from "../http/endpoint.ts";
import { html } from "../http/responses.ts";
import { type NoticeView, renderMessage } from "./views/frame.tsx";
import { words } from "./words.ts";

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

const HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "no-store",
  "Content-Security-Policy": POLICY,
  "X-Frame-Options": "DENY",
  "Cross-Origin-Resource-Policy": "same-origin",
  // Choice: addresses hold tokens, so no other site may learn them. `no-referrer` would have browsers send forms with
  // `Origin: null`, by which the service could not distinguish its own forms from foreign ones without https.
  "Referrer-Policy": "same-origin",
};

/** For a page with a script of the service, which asks it for challenges. */
export const SCRIPT_POLICY = { "Content-Security-Policy": `${POLICY}; script-src 'self'; connect-src 'self'` };

/** What any page here, or the form on it, may answer instead. */
export const ERROR_RESPONSES = {
  400: html("Invalid input; the form states why"),
  403: html("The form was not sent from this service's own pages"),
  413: html("More than a form holds"),
  415: html("Not a form"),
  429: html("Too many attempts"),
  503: html("Temporarily unavailable"),
};

export function page(html: string, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(html, { status, headers: { ...HEADERS, ...headers } });
}

/** After a form, so that reloading sends nothing twice. */
export function redirectTo(path: string, ...cookies: readonly string[]): Response {
  const headers = new Headers({
    Location: path,
    "Cache-Control": "no-store",
    "Referrer-Policy": HEADERS["Referrer-Policy"],
  });
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
  return new Response(null, { status: 303, headers });
}

/** For errors that do not belong to a field of a form. */
export const renderErrorPage: ErrorPage = (_c, refusal) =>
  page(renderMessage(messageOf(refusal)), refusal?.status ?? 500, refusal?.headers);

function messageOf(refusal: ApiError | undefined): NoticeView {
  const text = words("dashboard-frame").refusals;
  switch (refusal?.status) {
    case undefined:
      return { title: text.internal.title, text: text.internal.text };
    case 403:
      if (refusal.code === "network_not_allowed") {
        return {
          title: text.network.title,
          text: text.network.text,
        };
      }
      if (refusal.code === "account_deactivated") {
        return {
          title: text.deactivated.title,
          text: text.deactivated.text,
        };
      }
      return {
        title: text.rejected.title,
        text: text.rejected.text,
        link: { href: "/app", text: text.home },
      };
    case 404:
    case 405:
      return {
        title: text.not_found.title,
        text: text.not_found.text,
        link: { href: "/app", text: text.home },
      };
    case 409:
      return {
        title: text.member.title,
        text: text.member.text,
        link: { href: "/app", text: text.member.link },
      };
    case 429:
      return {
        title: text.too_many.title,
        text: text.too_many.text({ seconds: refusal.headers["Retry-After"] ?? "60" }),
      };
    case 503:
      return {
        title: text.unavailable.title,
        text: text.unavailable.text,
      };
    default:
      return {
        title: text.invalid.title,
        text: text.invalid.text,
        link: { href: "/app", text: text.home },
      };
  }
}
