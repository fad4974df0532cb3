import { limitOf } from "../access/rate-limit.ts";
import type { RateClass } from "../contract/limiter-object.ts";
import type { Settings } from "../platform/settings.ts";
import { SECURITY_HEADERS } from "./security-headers.ts";

/** What only documents with scripts can make use of. */
const DOCUMENT_HEADERS = Object.entries({
  "Cross-Origin-Opener-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
});
const API_HEADERS = Object.entries({
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
});

export const REQUEST_ID_HEADER = "X-Request-Id";

export function completeHeaders(headers: Headers): void {
  const isJson = headers.get("content-type")?.startsWith("application/json") === true;
  if (isJson) headers.set("Content-Type", "application/json; charset=utf-8");
  for (const [name, value] of [...SECURITY_HEADERS, ...(isJson ? API_HEADERS : DOCUMENT_HEADERS)]) {
    if (!headers.has(name)) headers.set(name, value);
  }
}

export function stateRateLimit(headers: Headers, settings: Settings, rateClass: RateClass): void {
  const rate = limitOf(settings, rateClass);
  if (!rate) return;
  headers.set("RateLimit-Policy", `"${rateClass}";q=${rate.limit};w=${rate.window_seconds}`);
  headers.set("RateLimit-Limit", String(rate.limit));
}
