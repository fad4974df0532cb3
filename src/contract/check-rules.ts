import { z } from "zod";
import { parseWeeklyHours } from "../lib/weekly-hours.ts";
import { orElse } from "./http-fields.ts";
import { Timezone } from "./status-page.ts";

/** How any check of a target is judged and repeated, and when it rests, for every type. */

export const RETRY_RHYTHMS = ["steady", "backoff"] as const;
export type RetryRhythm = (typeof RETRY_RHYTHMS)[number];

const HOURS_LENGTH_MAX = 500;
const INTERVAL_DOWN_MAX = 86_400;

const Fields = z.object({
  invert: orElse(
    z.boolean().meta({ description: "the check is expected to fail: a target that answers is down" }),
    false,
  ),
  follow_retries: orElse(
    z.enum(RETRY_RHYTHMS).meta({
      description:
        "how the checks after a first failure follow each other: steady, each after retry_interval (default), or backoff, each after twice the time before, at most the interval",
    }),
    "steady" as const,
  ),
  interval_down: orElse(
    z.int().min(10).max(INTERVAL_DOWN_MAX).meta({
      description: "seconds between checks while it is down, rounded up to whole intervals; null: as ever",
    }),
    null,
  ),
  hours: orElse(
    z.string().trim().max(HOURS_LENGTH_MAX).meta({
      description:
        "checks only then, on the clock of `hours_timezone`: `Mon-Fri 08:00-18:00, Sat 10:00-14:00`; other time is not measured",
    }),
    "",
  ),
  hours_timezone: orElse(z.string().trim().max(100).meta({ description: "IANA name; default UTC" }), null),
});

/** Accepts a monitor's body or record, whose other members it ignores. */
export const CheckRules = Fields.superRefine(({ hours, hours_timezone }, ctx) => {
  const refuse = (path: string, problem: string) =>
    ctx.addIssue({ code: "custom", path: [path], message: `${path} ${problem}` });
  const zone = hours_timezone ? Timezone.safeParse(hours_timezone) : null;
  if (zone?.error) refuse("hours_timezone", zone.error.issues[0]?.message ?? "is not valid");
  const parsed = hours === "" ? null : parseWeeklyHours(hours);
  if (parsed?.ok === false) refuse("hours", parsed.reason);
});
export type CheckRules = z.infer<typeof CheckRules>;
