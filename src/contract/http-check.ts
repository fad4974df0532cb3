import { z } from "zod";
import {
  headersField,
  JSON_ASSERTIONS_MAX,
  JsonAssertion,
  keywordsOf,
  orElse,
  StatusCode,
  StatusEntry,
} from "./http-fields.ts";
import { JourneyStep, STEPS_MAX } from "./journey.ts";
import { BODY_MATCH_TYPES, HTTP_METHODS } from "./monitor-values.ts";

/** The http part of a monitor: how its fields are read, with the defaults that apply where a field is absent or null. */

export const HTTP_BODY_MAX = 64 * 1024;
export const EXPECTED_BODY_MAX = 10_000;

const Fields = z.object({
  http_method: orElse(z.enum(HTTP_METHODS), "GET" as const),
  http_headers: headersField("http_headers"),
  http_body: orElse(z.string().max(HTTP_BODY_MAX), ""),
  expected_status: orElse(StatusCode, null),
  expected_statuses: orElse(
    z.array(StatusEntry).max(20).meta({ description: "codes and ranges, e.g. `[304, 200-299]`; absent: any 2xx" }),
    [] as (number | string)[],
  ),
  expected_body: orElse(z.string().max(EXPECTED_BODY_MAX), ""),
  expected_body_match_type: orElse(z.enum(BODY_MATCH_TYPES), "contains" as const),
  expected_keywords: orElse(z.string().max(2000), ""),
  json_assertions: orElse(z.array(JsonAssertion).max(JSON_ASSERTIONS_MAX), [] as JsonAssertion[]),
  follow_redirects: orElse(z.boolean(), true),
  verify_ssl: orElse(z.boolean(), true),
  steps: orElse(
    z.array(JourneyStep).max(STEPS_MAX).meta({
      description: "a journey: requests that are sent one after the other instead of the single one",
    }),
    [] as JourneyStep[],
  ),
});

/** Accepts a monitor's body or record, whose other members it ignores. */
export const HttpCheck = Fields.superRefine((check, ctx) => {
  const field = bodyConflict(check);
  if (field)
    ctx.addIssue({ code: "custom", message: `${field} must be empty for ${check.http_method}`, path: [field] });
});
export type HttpCheck = z.infer<typeof HttpCheck>;

/** The field that contradicts the method: a body it cannot carry, or an expectation on a body that never comes. */
function bodyConflict(check: z.infer<typeof Fields>): keyof HttpCheck | null {
  const isHead = check.http_method === "HEAD";
  if (check.http_body !== "" && (isHead || check.http_method === "GET")) return "http_body";
  if (isHead && check.expected_body !== "") return "expected_body";
  if (isHead && keywordsOf(check.expected_keywords).length > 0) return "expected_keywords";
  if (isHead && check.json_assertions.length > 0) return "json_assertions";
  return null;
}
