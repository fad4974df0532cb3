import type { ApiError } from "../contract/errors.ts";
import type { ErrorPage } from "../http/endpoint.ts";
import { html } from "../http/responses.ts";
import { type NoticeView, renderMessage } from "./views/frame.tsx";

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
  switch (refusal?.status) {
    case undefined:
      return { title: "Internal error", text: "The service failed to answer this request. Try again later." };
    case 403:
      if (refusal.code === "network_not_allowed") {
        return {
          title: "Not from here",
          text: "An operator of this service does not let people sign in from your address. Use a network that is allowed, or ask them.",
        };
      }
      if (refusal.code === "account_deactivated") {
        return {
          title: "Your account is deactivated",
          text: "An operator of this service, or the company that you sign in with, has deactivated it. Ask them if this is a mistake.",
        };
      }
      return {
        title: "Request rejected",
        text: "This request did not come from one of our own pages, so nothing was done. Open the page again and repeat it there.",
        link: { href: "/app", text: "Home" },
      };
    case 404:
    case 405:
      return {
        title: "Page not found",
        text: "The address may be mistyped, or an old one.",
        link: { href: "/app", text: "Home" },
      };
    case 409:
      return {
        title: "You are already a member",
        text: "This invitation was accepted before.",
        link: { href: "/app", text: "To your status pages" },
      };
    case 429:
      return {
        title: "Too many requests",
        text: `Please wait ${refusal.headers["Retry-After"] ?? "60"} seconds, then load this page again.`,
      };
    case 503:
      return {
        title: "Temporarily unavailable",
        text: "Nothing was changed. Please try again in a moment.",
      };
    default:
      return {
        title: "Invalid request",
        text: "Nothing was changed. Go back, load the page again, and repeat it there.",
        link: { href: "/app", text: "Home" },
      };
  }
}
