import type { Parsed } from "../lib/parse-result.ts";

/** One request of a chain of redirects; `headers` are the user's, which leave with the first foreign origin. */
export interface Hop {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string | null;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const CONTENT_HEADER = /^content-/i;

/** The address a redirect names, or null when the answer is none. */
export function redirectLocation(status: number, headers: Headers): string | null {
  return REDIRECTS.has(status) ? headers.get("location") : null;
}

/** https://fetch.spec.whatwg.org/#http-redirect-fetch, except that all of the user's headers stay with their origin. */
export function nextHop(hop: Hop, status: number, location: string): Parsed<Hop> {
  if (!URL.canParse(location, hop.url)) return { ok: false, reason: "redirects to an address that is not valid" };
  const url = new URL(location, hop.url);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return { ok: false, reason: "redirects to something other than http or https" };
  }
  if (url.hash === "") url.hash = hop.url.hash;
  const becomesGet =
    status === 303 ? hop.method !== "GET" && hop.method !== "HEAD" : status < 303 && hop.method === "POST";
  const kept = Object.entries(url.origin === hop.url.origin ? hop.headers : {});
  return {
    ok: true,
    value: {
      url,
      method: becomesGet ? "GET" : hop.method,
      headers: Object.fromEntries(becomesGet ? kept.filter(([name]) => !CONTENT_HEADER.test(name)) : kept),
      body: becomesGet ? null : hop.body,
    },
  };
}
