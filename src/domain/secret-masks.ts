import { parseHttpHeaders } from "../contract/http-fields.ts";
import type { JourneyStep } from "../contract/journey.ts";
import { SECRET_PLACEHOLDER } from "../contract/monitor.ts";
import type { Parsed } from "../lib/parse-result.ts";

/**
 * How secret settings of a monitor look to readers who may not see them, and what `***` stands for when it comes back.
 */

/** A password inside the authority of an address, with or without a scheme in front. */
const PASSWORD = /^((?:[a-z][a-z0-9+.-]*:\/\/)?[^\s/?#@:]*:)([^\s/?#]+)@/i;
/** What stands before, in and behind the query of an address. */
const QUERY = /^([^?#]*\?)([^#]*)(.*)$/s;

/** Passwords and the values of query parameters; names stay, so that people recognize the address. */
export function maskTarget(target: string): string {
  const masked = target.replace(PASSWORD, `$1${SECRET_PLACEHOLDER}@`);
  return mapQuery(masked, ({ name, value }) => ({ name, value: value === "" ? value : SECRET_PLACEHOLDER }));
}

/** Headers for callers without secrets.read: names only. */
export function maskHeaders(text: string): string {
  const headers = parseHttpHeaders(text);
  const names = headers.ok ? Object.keys(headers.value) : [];
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, SECRET_PLACEHOLDER])));
}

/** The target with stored values in the place of `***`; they never follow to another host or user. */
export function restoreTarget(given: string, stored: string | undefined): Parsed<string> {
  if (stored !== undefined && given === maskTarget(stored)) return { ok: true, value: stored };
  const password = restorePassword(given, stored);
  return password.ok ? restoreQuery(password.value, stored) : password;
}

function restorePassword(given: string, stored: string | undefined): Parsed<string> {
  const password = PASSWORD.exec(given)?.[2];
  if (password !== SECRET_PLACEHOLDER) return { ok: true, value: given };
  if (stored === undefined || authorityOf(maskTarget(stored)) !== authorityOf(given)) {
    return { ok: false, reason: "needs its password again, because its host or user changed" };
  }
  const kept = PASSWORD.exec(stored)?.[2] ?? "";
  return { ok: true, value: given.replace(PASSWORD, (_match, before: string) => `${before}${kept}@`) };
}

function restoreQuery(given: string, stored: string | undefined): Parsed<string> {
  const isMasked = parametersOf(given).some(({ value }) => value === SECRET_PLACEHOLDER);
  if (!isMasked) return { ok: true, value: given };
  if (stored === undefined || originOf(stored) !== originOf(given)) {
    return { ok: false, reason: "needs the values of its query again, because its host changed" };
  }
  const known = parametersOf(stored);
  const missing: string[] = [];
  const value = mapQuery(given, (parameter) => {
    if (parameter.value !== SECRET_PLACEHOLDER) return parameter;
    // Of several of one name the first ones stay first.
    const at = known.findIndex(({ name }) => name === parameter.name);
    const [kept] = at === -1 ? [] : known.splice(at, 1);
    if (kept === undefined) missing.push(parameter.name ?? SECRET_PLACEHOLDER);
    return kept ?? parameter;
  });
  const [name] = missing;
  return name === undefined ? { ok: true, value } : { ok: false, reason: `has no stored value for ${name}` };
}

/** One part of a query; what has no `=` is a value without a name. */
interface Parameter {
  name: string | null;
  value: string;
}

function parametersOf(target: string): Parameter[] {
  const parameters: Parameter[] = [];
  mapQuery(target, (parameter) => {
    parameters.push(parameter);
    return parameter;
  });
  return parameters;
}

/** Works on the text, so that all that is not replaced stays byte for byte. */
function mapQuery(target: string, change: (parameter: Parameter) => Parameter): string {
  return target.replace(QUERY, (_match, before: string, query: string, after: string) => {
    const parts = query.split("&").map((part) => {
      const equals = part.indexOf("=");
      const parameter =
        equals < 0 ? { name: null, value: part } : { name: part.slice(0, equals), value: part.slice(equals + 1) };
      const { name, value } = change(parameter);
      return name === null ? value : `${name}=${value}`;
    });
    return before + parts.join("&") + after;
  });
}

function authorityOf(target: string): string {
  return target.replace(/^([a-z][a-z0-9+.-]*:\/\/)/i, "").split(/[/?#]/)[0] ?? "";
}

/** Scheme, host and port: to these a value was given. */
function originOf(target: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(target)?.[0] ?? "";
  return (scheme + authorityOf(target).replace(/^.*@/, "")).toLowerCase();
}

/** The headers with stored values in the place of `***`. What is not well-formed is left to the schema. */
export function restoreHeaders(given: string, stored: string | undefined): Parsed<string> {
  if (given.trim() === SECRET_PLACEHOLDER && stored !== undefined) return { ok: true, value: stored };
  const headers = parseHttpHeaders(given);
  if (!headers.ok || !Object.values(headers.value).includes(SECRET_PLACEHOLDER)) return { ok: true, value: given };
  const known = parseHttpHeaders(stored ?? "");
  const values = new Map(
    Object.entries(known.ok ? known.value : {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const restored: [string, string][] = [];
  for (const [name, value] of Object.entries(headers.value)) {
    const kept = value === SECRET_PLACEHOLDER ? values.get(name.toLowerCase()) : value;
    if (kept === undefined) return { ok: false, reason: `has no stored value for ${name}` };
    restored.push([name, kept]);
  }
  return { ok: true, value: JSON.stringify(Object.fromEntries(restored)) };
}

/** The body, or the stored one in the place of `***`. */
export function restoreBody(given: string, stored: string | undefined): Parsed<string> {
  if (given !== SECRET_PLACEHOLDER) return { ok: true, value: given };
  return stored === undefined ? { ok: false, reason: "has no stored value" } : { ok: true, value: stored };
}

/** Steps for callers without secrets.read. */
export function maskSteps(steps: readonly JourneyStep[]): JourneyStep[] {
  return steps.map((step) => ({
    ...step,
    url: maskTarget(step.url),
    headers: Object.fromEntries(Object.keys(step.headers).map((name) => [name, SECRET_PLACEHOLDER])),
    body: step.body === "" ? "" : SECRET_PLACEHOLDER,
  }));
}

/** The steps with stored values in the place of `***`, which never follow to another host. */
export function restoreSteps(
  given: readonly JourneyStep[],
  stored: readonly JourneyStep[] = [],
): Parsed<JourneyStep[]> {
  const restored: JourneyStep[] = [];
  for (const [n, step] of given.entries()) {
    const known = stored.find(({ name }) => name === step.name) ?? stored[n];
    const result = restoreStep(step, known);
    if (!result.ok) return { ok: false, reason: `[${n}].${result.reason}` };
    restored.push(result.value);
  }
  return { ok: true, value: restored };
}

function restoreStep(step: JourneyStep, known: JourneyStep | undefined): Parsed<JourneyStep> {
  const url = restoreTarget(step.url, known?.url);
  if (!url.ok) return { ok: false, reason: `url ${url.reason}` };
  const isElsewhere = known === undefined || originOf(known.url) !== originOf(step.url);
  const isMasked = [step.body, ...Object.values(step.headers)].includes(SECRET_PLACEHOLDER);
  if (isMasked && isElsewhere) {
    return { ok: false, reason: "headers and body must be sent again, because the host changed" };
  }
  const headers = restoreHeaders(JSON.stringify(step.headers), JSON.stringify(known?.headers ?? {}));
  if (!headers.ok) return { ok: false, reason: `headers ${headers.reason}` };
  const parsed = parseHttpHeaders(headers.value);
  const body = restoreBody(step.body, known?.body);
  if (!body.ok) return { ok: false, reason: `body ${body.reason}` };
  return {
    ok: true,
    value: { ...step, url: url.value, headers: parsed.ok ? parsed.value : step.headers, body: body.value },
  };
}
