import type { JourneyStep } from "../contract/journey.ts";
import { type Encoding, fillPlaceholders } from "../domain/placeholders.ts";
import type { Parsed } from "../lib/parse-result.ts";
import type { Hop } from "./http-hop.ts";

/** One request of a journey, with the values that its placeholders stand for. */

/** Visible characters, space and tab; obs-text of RFC 9110 is kept. */
const HEADER_VALUE = /^[\t -~\u0080-\u00ff]*$/;

interface Known {
  values: ReadonlyMap<string, string>;
  /** The target of the monitor, and what its user and password make of each request to it. */
  base: { url: URL; authorization: Record<string, string> };
}

/** The reason continues a sentence about the step. */
export function requestOf(step: JourneyStep, { values, base }: Known): Parsed<Hop> {
  const address = fill(step.url, "url");
  if (!address.ok) return address;
  if (!URL.canParse(address.value, base.url)) return { ok: false, reason: "url is no address" };
  const url = new URL(address.value, base.url);
  // A path that begins with an empty value would name a host.
  if (step.url.startsWith("/") && url.origin !== base.url.origin)
    return { ok: false, reason: "url names another host" };
  const headers: Record<string, string> = {};
  for (const [name, text] of Object.entries(step.headers)) {
    const filled = fill(text, "none");
    if (!filled.ok) return filled;
    if (!HEADER_VALUE.test(filled.value))
      return { ok: false, reason: `the value of ${name} does not fit into a header` };
    headers[name] = filled.value;
  }
  const type = contentTypeOf(step);
  const body = fill(step.body, encodingOf(type));
  if (!body.ok) return body;
  const has = (wanted: string) => Object.keys(headers).some((name) => name.toLowerCase() === wanted);
  const authorization = url.origin === base.url.origin && !has("authorization") ? base.authorization : {};
  const described: Record<string, string> =
    body.value !== "" && type !== null && !has("content-type") ? { "content-type": type } : {};
  return {
    ok: true,
    value: {
      url,
      method: step.method,
      headers: { ...described, ...authorization, ...headers },
      body: body.value === "" ? null : body.value,
    },
  };

  function fill(text: string, encoding: Encoding): Parsed<string> {
    const filled = fillPlaceholders(text, values, encoding);
    return filled.ok ? { ok: true, value: filled.text } : { ok: false, reason: `${filled.missing} does not exist` };
  }
}

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** What the step says; else what its body looks like. */
function contentTypeOf({ headers, body }: JourneyStep): string | null {
  const [, said] = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type") ?? [];
  if (said !== undefined) return said;
  if (/^\s*[[{]/.test(body)) return JSON_TYPE;
  return /^[\w.~%+-]+=[^\s]*$/.test(body) ? FORM_TYPE : null;
}

function encodingOf(type: string | null): Encoding {
  if (type === null) return "none";
  if (/\bjson\b/i.test(type)) return "json";
  return type.toLowerCase().startsWith(FORM_TYPE) ? "form" : "none";
}
