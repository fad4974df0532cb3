import type { DegradedWhen, HttpCheck } from "../contract/http-check.ts";
import { keywordsOf } from "../contract/http-fields.ts";
import { compileCapture } from "../lib/linear-regex/capture.ts";
import { compileRegex } from "../lib/linear-regex/program.ts";

const PATTERN_MAX = 512;
/** Instructions of the compiled pattern. */
const PROGRAM_MAX = 1000;
/**
 * Matching takes at most program size × text length steps; this many are about half a second. Choice: a big pattern
 * searches less of a big body, so that the checks that share its run keep their time.
 */
const STEPS_MAX = 16_000_000;
const SHOWN_MAX = 80;

/** The reason why a person's pattern cannot be used, or null. Patterns run on a linear-time engine (RE2 syntax). */
export function patternProblem(pattern: string): string | null {
  return compileProblem(pattern, compileRegex);
}

/** The same for one that captures. */
export function captureProblem(pattern: string): string | null {
  return compileProblem(pattern, compileCapture);
}

/** What the first group of the pattern matches in the text, or the pattern itself where it has none. */
export function captureFrom(pattern: string, text: string): string | null {
  const regex = compileCapture(pattern, PROGRAM_MAX);
  return regex.capture(text.slice(0, Math.floor(STEPS_MAX / regex.size)));
}

function compileProblem(pattern: string, compile: (pattern: string, sizeMax: number) => unknown): string | null {
  if (pattern.length > PATTERN_MAX) return `must not be longer than ${PATTERN_MAX} characters as a regular expression`;
  try {
    compile(pattern, PROGRAM_MAX);
    return null;
  } catch (error) {
    return `is not a supported regular expression: ${error instanceof Error ? error.message : "unknown error"}`;
  }
}

/** True when something of the check looks at the body; otherwise it need not be read. */
export function needsBody({ http_method, degraded_when: slow, ...check }: HttpCheck): boolean {
  if (http_method === "HEAD") return false;
  const isExpected = check.expected_body !== "" || keywordsOf(check.expected_keywords).length > 0;
  const isClaimed = check.json_assertions.length > 0 || (slow?.json_assertions?.length ?? 0) > 0;
  return isExpected || isClaimed || slow?.body !== undefined || slow?.download_ms !== undefined;
}

/** What the body lacks, in words for people, or null. */
export function bodyProblem(check: HttpCheck, body: { text: string; isCut: boolean }): string | null {
  const missing = keywordsOf(check.expected_keywords).find((word) => !body.text.includes(word));
  if (missing !== undefined) return `body does not contain ${shown(missing)}`;
  if (check.expected_body === "") return null;
  return matchProblem(check.expected_body, check.expected_body_match_type, body);
}

/** What a body that meets the claim is said to do; null where it does not meet it. */
export function bodyMet({ body: expected, body_match_type = "contains" }: DegradedWhen, body: Body): string | null {
  if (expected === undefined || matchProblem(expected, body_match_type, body) !== null) return null;
  return `body ${MET[body_match_type]} ${shown(expected)}`;
}

const MET = { contains: "contains", not_contains: "does not contain", exact: "is", regex: "matches" } as const;

interface Body {
  text: string;
  isCut: boolean;
}

function matchProblem(expected: string, match: HttpCheck["expected_body_match_type"], body: Body): string | null {
  switch (match) {
    case "contains":
      return body.text.includes(expected) ? null : `body does not contain ${shown(expected)}`;
    case "not_contains":
      return body.text.includes(expected) ? `body contains ${shown(expected)}` : null;
    case "exact":
      // Choice: white space around either side does not count; nearly every text body ends in a line break.
      return !body.isCut && body.text.trim() === expected.trim() ? null : `body is not ${shown(expected)}`;
    case "regex":
      return matches(expected, body.text) ? null : `body does not match ${shown(expected)}`;
  }
}

function matches(pattern: string, text: string): boolean {
  const regex = compileRegex(pattern, PROGRAM_MAX);
  return regex.matches(text.slice(0, Math.floor(STEPS_MAX / regex.size)));
}

function shown(text: string): string {
  return JSON.stringify(text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text);
}
