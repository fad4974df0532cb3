import { z } from "zod";
import { isRecord } from "../lib/is-record.ts";
import { headersField, JSON_ASSERTIONS_MAX, JsonAssertion, orElse, StatusEntry } from "./http-fields.ts";
import { HTTP_METHODS } from "./monitor-values.ts";

/** The steps of a journey: requests that an http monitor sends one after the other, each with its own expectations. */

export const STEPS_MAX = 10;
const STEP_NAME_MAX = 100;
const STEP_BODY_MAX = 16 * 1024;
const EXPECTED_BODY_MAX = 1000;
const CAPTURES_MAX = 10;
const JOURNEY_SECONDS_MAX = 60;

/** Each step may take as long as a check, all of them together no more than a minute. */
export function journeySeconds(steps: number, timeoutSeconds: number): number {
  return Math.min(JOURNEY_SECONDS_MAX, Math.max(1, steps) * timeoutSeconds);
}

export const CAPTURE_SOURCES = ["json", "header", "cookie", "regex"] as const;
export type CaptureSource = (typeof CAPTURE_SOURCES)[number];

export const Capture = z.object({
  name: z
    .string()
    .trim()
    .regex(/^[A-Za-z_]\w{0,63}$/, "must be letters, digits and _, and not begin with a digit")
    .refine((name) => !["now", "uuid", "secret"].includes(name), "must not be now, uuid or secret"),
  from: z.enum(CAPTURE_SOURCES),
  path: z.string().trim().min(1).max(512).meta({
    description: "json: as in json_assertions; header and cookie: its name; regex: what its first group matches",
  }),
});
export type Capture = z.infer<typeof Capture>;

/** JSON is welcome as it is. */
const StepBody = z
  .preprocess(
    (value) => (isRecord(value) || Array.isArray(value) ? JSON.stringify(value) : value),
    z.string().max(STEP_BODY_MAX).nullish(),
  )
  .transform((body) => body ?? "");

export const JourneyStep = z.object({
  name: z.string().trim().min(1).max(STEP_NAME_MAX),
  method: orElse(z.enum(HTTP_METHODS), "GET" as const),
  url: z.string().trim().min(1).max(2048).meta({ description: "an address, or a path at the host of the target" }),
  headers: headersField("headers"),
  body: StepBody,
  expected_statuses: orElse(
    z.array(StatusEntry).max(20).meta({ description: "absent: any 2xx" }),
    [] as (number | string)[],
  ),
  json_assertions: orElse(z.array(JsonAssertion).max(JSON_ASSERTIONS_MAX), [] as JsonAssertion[]),
  expected_body: orElse(z.string().max(EXPECTED_BODY_MAX).meta({ description: "what the answer contains" }), ""),
  captures: orElse(
    z
      .array(Capture)
      .max(CAPTURES_MAX)
      .meta({ description: "values of the answer that later steps name as `{{name}}`" }),
    [] as Capture[],
  ),
  always: orElse(z.boolean().meta({ description: "runs also after a failed step, to clean up" }), false),
});
export type JourneyStep = z.infer<typeof JourneyStep>;
