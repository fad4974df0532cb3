import type { HeaderAssertion, JsonAssertion } from "../contract/http-fields.ts";
import { SECRET_PLACEHOLDER } from "../contract/monitor.ts";
import { isRecord } from "../lib/is-record.ts";
import { maskTokens } from "../lib/mask-tokens.ts";
import type { Parsed } from "../lib/parse-result.ts";

/**
 * Claims about a JSON body. A path is the plain part of JSONPath (RFC 9535): `$`, then `.name`, `["name"]` or `[index]`,
 * each naming one value; negative indices, wildcards, filters and searches are not part of it. `a.b` is short for `$.a.b`.
 */

const STEP = /\.([A-Za-z_][\w-]*)|\[(\d{1,6})\]|\["([^"\\]*)"\]|\['([^'\\]*)'\]/y;
const STEPS_MAX = 30;
const SHOWN_MAX = 80;
/** As much is looked through for secrets. */
const MASKED_MAX = 1000;

/** The reason why a path cannot be read, or null. */
export function pathProblem(path: string): string | null {
  const parsed = parsePath(path);
  return parsed.ok ? null : parsed.reason;
}

/** The first claim that the body does not meet, in words with the value that it has instead, or null. */
export function assertionProblem(
  assertions: readonly JsonAssertion[],
  body: { text: string; isCut: boolean },
): string | null {
  if (assertions.length === 0) return null;
  if (body.isCut) return "body is too large to be read as JSON";
  const parsed = parseJson(body.text);
  if (!parsed.ok) return parsed.reason;
  for (const assertion of assertions) {
    const problem = problemOf(assertion, parsed.value);
    if (problem) return problem;
  }
  return null;
}

export function parseJson(text: string): Parsed<unknown> {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, reason: "body is not JSON" };
  }
}

/** The one value that the path names; undefined where there is none. */
export function valueAtPath(root: unknown, path: string): unknown {
  const steps = parsePath(path);
  return steps.ok ? valueAt(root, steps.value) : undefined;
}

type Step = string | number;

function parsePath(path: string): Parsed<Step[]> {
  const unreadable = { ok: false, reason: `must have paths such as $.a.b[0] or $["a"], not ${shown(path)}` } as const;
  const full = /^[A-Za-z_]/.test(path) ? `$.${path}` : path;
  if (!full.startsWith("$")) return unreadable;
  const steps: Step[] = [];
  for (let offset = 1; offset < full.length; offset = STEP.lastIndex) {
    STEP.lastIndex = offset;
    const match = STEP.exec(full);
    if (!match || steps.length === STEPS_MAX) return unreadable;
    const [, name, index, quoted, single] = match;
    steps.push(index === undefined ? (name ?? quoted ?? single ?? "") : Number(index));
  }
  return { ok: true, value: steps };
}

/** Undefined where there is nothing; JSON itself has no such value. */
function valueAt(root: unknown, steps: readonly Step[]): unknown {
  let value = root;
  for (const step of steps) {
    if (typeof step === "number") value = Array.isArray(value) ? value[step] : undefined;
    else value = isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

function problemOf({ path, operator, value: expected }: JsonAssertion, root: unknown): string | null {
  const steps = parsePath(path);
  if (!steps.ok) return `json_assertions ${steps.reason}`;
  const found = valueAt(root, steps.value);
  if (operator === "exists") {
    const isWanted = expected !== false;
    if ((found !== undefined) === isWanted) return null;
    return isWanted ? `body has no ${path}` : `body has a ${path}`;
  }
  if (found === undefined) return `body has no ${path}`;
  const holds = COMPARISONS[operator];
  if (holds(found, expected)) return null;
  const problem = `${path} of the body ${WORDS[operator]} ${shown(expected)}`;
  return operator === "neq" ? problem : `${problem}, but ${actual(path, found)}`;
}

/** The first of the claims that the body meets, in words; null where it meets none, or is not JSON. */
export function assertionMet(
  assertions: readonly JsonAssertion[],
  body: { text: string; isCut: boolean },
): string | null {
  const parsed = assertions.length === 0 || body.isCut ? null : parseJson(body.text);
  if (!parsed?.ok) return null;
  const met = assertions.find((assertion) => problemOf(assertion, parsed.value) === null);
  if (!met) return null;
  const found = valueAtPath(parsed.value, met.path);
  return found === undefined ? `body has no ${met.path}` : `${met.path} of the body is ${actual(met.path, found)}`;
}

/** Whether a header meets a claim; null where it does, else what is wrong. */
export function headerProblem({ name, operator, value: expected }: HeaderAssertion, headers: Headers): string | null {
  const found = headers.get(name);
  if (operator === "exists") {
    const isWanted = expected !== false;
    if ((found !== null) === isWanted) return null;
    return isWanted ? `the answer has no header ${name}` : `the answer has a header ${name}`;
  }
  if (found === null) return `the answer has no header ${name}`;
  const isNumeric = typeof expected === "number" && found.trim() !== "";
  const holds = COMPARISONS[operator];
  if (holds(isNumeric && operator !== "contains" ? Number(found) : found, isNumeric ? expected : String(expected))) {
    return null;
  }
  const problem = `header ${name} ${WORDS[operator]} ${shown(expected)}`;
  return operator === "neq" ? problem : `${problem}, but ${actual(name, found)}`;
}

/** The first of the claims that the headers meet, in words, or null. */
export function headerMet(assertions: readonly HeaderAssertion[], headers: Headers): string | null {
  const met = assertions.find((assertion) => headerProblem(assertion, headers) === null);
  if (!met) return null;
  const found = headers.get(met.name);
  return found === null ? `the answer has no header ${met.name}` : `header ${met.name} is ${actual(met.name, found)}`;
}

/** A bounded form of what was found there, without what its name or form say is a secret. */
function actual(name: string, found: unknown): string {
  if (Array.isArray(found)) return `a list of ${found.length}`;
  if (isRecord(found)) return "an object";
  const beginning = `${name}: `;
  const masked = maskTokens(`${beginning}${typeof found === "string" ? found.slice(0, MASKED_MAX) : String(found)}`);
  if (!masked.startsWith(beginning)) return SECRET_PLACEHOLDER;
  const value = masked.slice(beginning.length);
  return typeof found === "string" && value !== SECRET_PLACEHOLDER ? shown(value) : value;
}

type Comparison = Exclude<JsonAssertion["operator"], "exists">;

/** Choice: types count, so "5" is not 5; objects and lists equal nothing, because a claim names a single value. */
const COMPARISONS: Record<Comparison, (found: unknown, expected: unknown) => boolean> = {
  eq: (found, expected) => found === expected,
  neq: (found, expected) => found !== expected,
  gt: numeric((found, expected) => found > expected),
  gte: numeric((found, expected) => found >= expected),
  lt: numeric((found, expected) => found < expected),
  lte: numeric((found, expected) => found <= expected),
  contains: (found, expected) =>
    Array.isArray(found) ? found.includes(expected) : typeof found === "string" && found.includes(String(expected)),
};

const WORDS: Record<Comparison, string> = {
  eq: "is not",
  neq: "is",
  gt: "is not greater than",
  gte: "is not at least",
  lt: "is not less than",
  lte: "is not at most",
  contains: "does not contain",
};

function numeric(compare: (found: number, expected: number) => boolean) {
  return (found: unknown, expected: unknown) =>
    typeof found === "number" && typeof expected === "number" && compare(found, expected);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}
