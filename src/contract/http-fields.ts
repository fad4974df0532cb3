import { z } from "zod";
import { isRecord } from "../lib/is-record.ts";
import type { Parsed } from "../lib/parse-result.ts";

/** What the request of an http monitor and the steps of a journey have in common. */

const HEADERS_MAX = 20;
const HEADERS_BYTES_MAX = 4096;
/** A token of RFC 9110, section 5.6.2. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible characters, space and tab; obs-text of RFC 9110 is kept, everything else does not fit into a header. */
const HEADER_VALUE = /^[\t -~\u0080-\u00ff]*$/;
/** Belong to the connection or to those who forward it, so no one else may set them. */
const DENIED_NAMES = new Set([
  ...["host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te", "trailer", "expect"],
  "x-monitor-hop",
]);
const DENIED_PREFIXES = ["cf-", "x-forwarded-", "proxy-"];

/** Reads `http_headers`: a JSON object, or one `Name: value` a line. */
export function parseHttpHeaders(text: string): Parsed<Record<string, string>> {
  if (new TextEncoder().encode(text).length > HEADERS_BYTES_MAX) {
    return { ok: false, reason: `must not be longer than ${HEADERS_BYTES_MAX} bytes` };
  }
  const trimmed = text.trim();
  const pairs = trimmed.startsWith("{") ? pairsOfJson(trimmed) : pairsOfLines(trimmed);
  return pairs.ok ? parseHeaders(pairs.value) : pairs;
}

type Pairs = [name: string, value: string][];

function pairsOfJson(text: string): Parsed<Pairs> {
  const parsed = HeaderObject.safeParse(text);
  return parsed.success
    ? { ok: true, value: Object.entries(parsed.data) }
    : { ok: false, reason: "must be a JSON object of strings" };
}

const HeaderObject = z
  .string()
  .transform((text, ctx): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      ctx.addIssue("not JSON");
      return z.NEVER;
    }
  })
  .pipe(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String)));

function pairsOfLines(text: string): Parsed<Pairs> {
  const pairs: Pairs = [];
  for (const line of text.split(/\r?\n/).filter((part) => part.trim() !== "")) {
    const colon = line.indexOf(":");
    if (colon < 0) return { ok: false, reason: "must be a JSON object or lines of the form Name: value" };
    pairs.push([line.slice(0, colon), line.slice(colon + 1).trim()]);
  }
  return { ok: true, value: pairs };
}

function parseHeaders(pairs: Pairs): Parsed<Record<string, string>> {
  if (pairs.length > HEADERS_MAX) return { ok: false, reason: `must not hold more than ${HEADERS_MAX} headers` };
  const seen = new Set<string>();
  for (const [name, value] of pairs) {
    const key = name.toLowerCase();
    if (!HEADER_NAME.test(name)) return { ok: false, reason: `has a header name that is not valid: "${name}"` };
    if (!HEADER_VALUE.test(value))
      return { ok: false, reason: `has a character in ${name} that a header cannot carry` };
    if (DENIED_NAMES.has(key) || DENIED_PREFIXES.some((prefix) => key.startsWith(prefix))) {
      return { ok: false, reason: `must not set ${name}` };
    }
    if (seen.has(key)) return { ok: false, reason: `sets ${name} twice` };
    seen.add(key);
  }
  return { ok: true, value: Object.fromEntries(pairs) };
}

/** As they are stored: text, whichever form the body has. */
const HeadersText = z
  .preprocess((value) => (isRecord(value) ? JSON.stringify(value) : value), z.string().nullish())
  .meta({ description: "a JSON object, native or in the string, or one `Name: value` a line" });

/** The field's name begins what a refusal says. */
export const headersField = (name: string) =>
  HeadersText.transform((text, ctx): Record<string, string> => {
    const headers = parseHttpHeaders(text ?? "");
    if (headers.ok) return headers.value;
    ctx.addIssue(`${name} ${headers.reason}`);
    return z.NEVER;
  });

export const StatusCode = z.int().min(100).max(599);
/** A status or an inclusive range of them: `304`, `"304"`, `"200-299"`. */
export const StatusEntry = z.union([StatusCode, z.string()]).refine((entry) => statusRange(entry) !== null, {
  error: "expected_statuses must hold codes such as 304 or ranges such as 200-299",
});

export interface StatusRange {
  from: number;
  to: number;
}

export function statusRange(entry: number | string): StatusRange | null {
  const match = /^([1-5]\d\d)(?:-([1-5]\d\d))?$/.exec(String(entry).trim());
  if (!match) return null;
  const from = Number(match[1]);
  const to = Number(match[2] ?? match[1]);
  return from <= to ? { from, to } : null;
}

/** Comma-separated words of `expected_keywords`; all must occur. */
export function keywordsOf(text: string): string[] {
  return text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

/** A field that may be absent or null, and then has this value. */
export function orElse<T extends z.ZodType, D>(field: T, fallback: D) {
  return field.nullish().transform((value) => value ?? fallback);
}

export const JSON_OPERATORS = ["eq", "neq", "gt", "gte", "lt", "lte", "contains", "exists"] as const;
export type JsonOperator = (typeof JSON_OPERATORS)[number];

/** Signs that say the same as a word. */
const OPERATOR_OF_SIGN: Readonly<Record<string, JsonOperator>> = {
  "=": "eq",
  "==": "eq",
  "!=": "neq",
  ">": "gt",
  ">=": "gte",
  "<": "lt",
  "<=": "lte",
};
const Operator = z.preprocess(
  (value) => (typeof value === "string" ? (OPERATOR_OF_SIGN[value] ?? value) : value),
  z.enum(JSON_OPERATORS),
);

export const JSON_ASSERTIONS_MAX = 20;
const JsonScalar = z.union([z.string().max(1000), z.number(), z.boolean(), z.null()]);

/** A claim about one value of a JSON body. `exists` takes true, the default, or false. */
export const JsonAssertion = z
  .object({
    path: z.string().trim().min(1).max(200),
    operator: Operator.meta({ description: "a word, or its sign such as `==`" }),
    value: JsonScalar.optional(),
  })
  .refine(({ operator, value }) => isComparable(operator, value), {
    error: "json_assertions must have a value that suits the operator",
  });
export type JsonAssertion = z.infer<typeof JsonAssertion>;

function isComparable(operator: JsonOperator, value: z.infer<typeof JsonScalar> | undefined): boolean {
  if (operator === "exists") return value === undefined || typeof value === "boolean";
  if (operator === "eq" || operator === "neq" || operator === "contains") return value !== undefined;
  return typeof value === "number";
}

export const HEADER_ASSERTIONS_MAX = 10;
const HeaderName = z.string().trim().max(200).regex(HEADER_NAME, "must be the name of a header");

/** A claim about a header of the answer: as one about a value of its body. A number is compared with what the header says. */
export const HeaderAssertion = z
  .object({
    name: HeaderName,
    operator: Operator.meta({ description: "a word, or its sign such as `==`" }),
    value: z.union([z.string().max(1000), z.number(), z.boolean()]).optional(),
  })
  .refine(({ operator, value }) => isComparable(operator, value), {
    error: "expected_headers must have a value that suits the operator",
  });
export type HeaderAssertion = z.infer<typeof HeaderAssertion>;
