import { z } from "zod";
import { orElse } from "./http-fields.ts";

/** How any check of a target is judged and repeated, whatever its type. */

export const RETRY_RHYTHMS = ["steady", "backoff"] as const;
export type RetryRhythm = (typeof RETRY_RHYTHMS)[number];

/** Accepts a monitor's body or record, whose other members it ignores. */
export const CheckRules = z.object({
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
});
export type CheckRules = z.infer<typeof CheckRules>;
