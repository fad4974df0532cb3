import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { core, ZodError, ZodType } from "zod";
import { ApiError, type ErrorDetail, invalid, unavailable, unsupportedMediaType } from "../contract/errors.ts";
import { isUnavailable } from "../platform/d1-errors.ts";
import type { Logger } from "../platform/logger.ts";

/** Turns anything thrown into the one error shape. What is not an ApiError is our bug and says nothing of itself. */
export function toErrorResponse(error: unknown, requestId: string, log: Logger) {
  const answer = mapError(error, log);
  if (!answer) {
    return Response.json({ error: "internal error", code: "internal", request_id: requestId }, { status: 500 });
  }
  const body = { error: answer.message, code: answer.code, details: answer.details, request_id: requestId };
  return Response.json(body, { status: answer.status, headers: answer.headers });
}

/** What was thrown, as what may be said of it; what is our own fault is logged whole, and nothing is said of it. */
export function mapError(error: unknown, log: Logger): ApiError | undefined {
  const answer = toApiError(error);
  if (!answer) log.error("unhandled", error);
  else if (answer.status === 503) log.error("unavailable", error);
  return answer;
}

function toApiError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (error instanceof HTTPException) {
    if (error.status === 400) return invalid("the request could not be read");
    if (error.status === 415) return unsupportedMediaType();
  }
  return isUnavailable(error) ? unavailable("a store is not reachable, nothing was written") : undefined;
}

/** The hook of every schema: all problems as details, the first one as the sentence. */
export function rejectInvalid(result: { success: boolean; error?: ZodError }, _c: Context): void {
  if (!result.success && result.error) throw invalidInput(result.error);
}

/** Of what a handler reads by itself, such as a signed body. */
export function parseInput<Schema extends ZodType>(schema: Schema, value: unknown): Schema["_zod"]["output"] {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalidInput(parsed.error);
  return parsed.data;
}

export function invalidInput({ issues }: ZodError): ApiError {
  const details = issues.flatMap(ofBestForm).map(toDetail);
  return invalid(details[0] ? sentence(details[0]) : "the input is invalid", details);
}

/** Where a value may have several forms, the problems within the form that it has. */
function ofBestForm(issue: core.$ZodIssue): core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  // A value of the wrong type has the other form; one of a wrong length has this one.
  const isOwn = ({ path, code }: core.$ZodIssue) => path.length > 0 || code !== "invalid_type";
  const [best] = issue.errors.filter((issues) => issues.some(isOwn)).sort((a, b) => a.length - b.length);
  return best?.flatMap((each) => ofBestForm({ ...each, path: [...issue.path, ...each.path] })) ?? [issue];
}

/** What a probe says of its own field names it already. */
function sentence({ path, message }: ErrorDetail): string {
  if (message.startsWith(`${path.split(/[.[]/)[0]} `)) return message;
  return `${path === "" ? "the input" : path} ${message}`;
}

function toDetail(issue: core.$ZodIssue): ErrorDetail {
  const path = issue.path.reduce<string>(
    (text, part) =>
      typeof part === "number" ? `${text}[${part}]` : text === "" ? String(part) : `${text}.${String(part)}`,
    "",
  );
  return { path, message: describe(issue) };
}

const FORMATS: Record<string, string> = {
  uuid: "must be a UUID",
  guid: "must be a UUID",
  datetime: "must be an ISO 8601 time with a zone, as in 2030-01-31T12:00:00Z",
};

function describe(issue: core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.message.endsWith("received undefined") ? "is required" : `must be ${article(issue.expected)}`;
    case "too_small":
      return issue.minimum === 1 && issue.origin === "string"
        ? "must not be empty"
        : `must ${bound(issue.origin, "at least", issue.minimum)}`;
    case "too_big":
      // A schema's own words, where it has any.
      if (!issue.message.startsWith("Too big")) return issue.message;
      return `must ${bound(issue.origin, "at most", issue.maximum)}`;
    case "invalid_value":
      // A schema's own words, where it has any.
      if (!issue.message.startsWith("Invalid")) return issue.message;
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "invalid_format":
      return FORMATS[issue.format] ?? issue.message;
    case "invalid_union":
      if ("options" in issue && issue.options) return `must be one of ${issue.options.map(String).join(", ")}`;
      return issue.message === "Invalid input" ? "has none of the forms that it may have" : issue.message;
    case "unrecognized_keys":
      return `must not have the name ${issue.keys[0] ?? ""}`;
    case "invalid_key":
      return issue.issues[0] ? describe(issue.issues[0]) : issue.message;
    default:
      return issue.message;
  }
}

function bound(origin: string, relation: string, limit: number | bigint): string {
  if (origin === "string") return `have ${relation} ${limit} ${Number(limit) === 1 ? "character" : "characters"}`;
  if (origin === "array" || origin === "set")
    return `have ${relation} ${limit} ${Number(limit) === 1 ? "item" : "items"}`;
  return `be ${relation} ${limit}`;
}

function article(expected: string): string {
  if (expected === "int") return "an integer";
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`;
}
