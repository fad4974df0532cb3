import { z } from "zod";
import {
  HEADER_ASSERTIONS_MAX,
  HeaderAssertion,
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
export const HTTP_BODY_TYPES = ["raw", "form"] as const;
/** As many redirects a check follows at most. */
export const REDIRECTS_MAX = 10;
export const EXPECTED_BODY_MAX = 10_000;

const CERTIFICATE_DAYS_MAX = 365;
const DOWNLOAD_MS_MAX = 60_000;

/** What makes an answer that is as expected a slow one: any of these suffices. */
export const DegradedWhen = z.strictObject({
  statuses: z.array(StatusEntry).max(20).optional().meta({ description: "instead of a failure, too" }),
  body: z.string().min(1).max(EXPECTED_BODY_MAX).optional(),
  body_match_type: z.enum(BODY_MATCH_TYPES).optional().meta({ description: "default contains" }),
  json_assertions: z.array(JsonAssertion).max(JSON_ASSERTIONS_MAX).optional(),
  headers: z.array(HeaderAssertion).max(HEADER_ASSERTIONS_MAX).optional(),
  certificate_days: z
    .int()
    .min(1)
    .max(CERTIFICATE_DAYS_MAX)
    .optional()
    .meta({ description: "fewer days are left of the certificate" }),
  download_ms: z
    .int()
    .min(1)
    .max(DOWNLOAD_MS_MAX)
    .optional()
    .meta({ description: "the body, of which at most 1 MiB is read, takes longer after the headers" }),
});
export type DegradedWhen = z.infer<typeof DegradedWhen>;

const Fields = z.object({
  http_method: orElse(z.enum(HTTP_METHODS), "GET" as const),
  http_headers: headersField("http_headers"),
  http_body: orElse(z.string().max(HTTP_BODY_MAX), ""),
  http_body_type: orElse(
    z.enum(HTTP_BODY_TYPES).meta({
      description: "raw: http_body as it is (default); form: its lines `name=value` are sent as the fields of a form",
    }),
    "raw" as const,
  ),
  expected_status: orElse(StatusCode, null),
  expected_statuses: orElse(
    z.array(StatusEntry).max(20).meta({ description: "codes and ranges, e.g. `[304, 200-299]`; absent: any 2xx" }),
    [] as (number | string)[],
  ),
  expected_body: orElse(z.string().max(EXPECTED_BODY_MAX), ""),
  expected_body_match_type: orElse(z.enum(BODY_MATCH_TYPES), "contains" as const),
  expected_keywords: orElse(z.string().max(2000), ""),
  json_assertions: orElse(z.array(JsonAssertion).max(JSON_ASSERTIONS_MAX), [] as JsonAssertion[]),
  expected_headers: orElse(z.array(HeaderAssertion).max(HEADER_ASSERTIONS_MAX), [] as HeaderAssertion[]),
  certificate_days_min: orElse(
    z.int().min(1).max(CERTIFICATE_DAYS_MAX).meta({
      description: "fewer days left of the certificate, which is read a few times a day, are a failure",
    }),
    null,
  ),
  degraded_when: orElse(DegradedWhen, null),
  follow_redirects: orElse(z.boolean(), true),
  redirects_max: orElse(z.int().min(1).max(REDIRECTS_MAX), REDIRECTS_MAX),
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
    ctx.addIssue({
      code: "custom",
      message: `${field} must ${field === "degraded_when" ? "ask for no body" : "be empty"} for ${check.http_method}`,
      path: [field],
    });
  const hasFields = check.http_body_type !== "form" || formOf(check.http_body) !== null;
  if (!hasFields)
    ctx.addIssue({ code: "custom", message: "http_body must have lines of the form name=value", path: ["http_body"] });
});
export type HttpCheck = z.infer<typeof HttpCheck>;

/** The field that contradicts the method: a body it cannot carry, or an expectation on a body that never comes. */
function bodyConflict(check: z.infer<typeof Fields>): keyof HttpCheck | null {
  const isHead = check.http_method === "HEAD";
  if (check.http_body !== "" && (isHead || check.http_method === "GET")) return "http_body";
  if (isHead && check.expected_body !== "") return "expected_body";
  if (isHead && keywordsOf(check.expected_keywords).length > 0) return "expected_keywords";
  if (isHead && check.json_assertions.length > 0) return "json_assertions";
  const { body, json_assertions, download_ms } = check.degraded_when ?? {};
  if (isHead && (body ?? json_assertions ?? download_ms) !== undefined) return "degraded_when";
  return null;
}

/** The fields that lines `name=value` name, as a browser sends those of a form; null where a line names none. */
export function formOf(lines: string): string | null {
  const fields = new URLSearchParams();
  for (const line of lines.split(/\r?\n/).filter((part) => part.trim() !== "")) {
    const sign = line.indexOf("=");
    if (sign < 1) return null;
    fields.append(line.slice(0, sign).trim(), line.slice(sign + 1));
  }
  return fields.toString();
}
