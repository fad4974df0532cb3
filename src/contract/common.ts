import { z } from "zod";
import { isDeeperThan, JSON_DEPTH_MAX } from "../lib/json-depth.ts";

/** Wire forms that many resources share. */
export const Id = z.uuid();
export const Instant = z.iso.datetime().meta({ description: "UTC, ISO 8601 with milliseconds" });
/** Instants in requests may carry any offset. */
export const InstantInput = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

export const NAME_LENGTH_MAX = 200;
const TEXT_LENGTH_MAX = 10_000;
export const Name = z.string().trim().min(1).max(NAME_LENGTH_MAX);

/** What configuration as code names a thing by, unique per owner and kind. */
export const ExternalKey = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9_.:-]{1,100}$/, "must have 1 to 100 letters, digits and _ . : -")
  .meta({ description: "your own name for it, unique per owner and kind" });

export const LongText = z.string().trim().max(TEXT_LENGTH_MAX);

/** Marks a schema whose values may come as JSON in a string, too, for the OpenAPI document. */
export const TAKES_TEXT = "x-takes-text";
/** Likewise a list in whose place a single entry may come. */
export const TAKES_ONE = "x-takes-one";

/**
 * A member that takes JSON either natively or as a string that holds it, as older clients send it. Bad JSON in the
 * string form is refused like any other bad value; an empty one is null.
 */
export function jsonOrText<Schema extends z.ZodType>(schema: Schema) {
  const parsed = z.preprocess((value, ctx) => {
    if (typeof value !== "string") return value;
    if (value.trim() === "") return null;
    if (isDeeperThan(value, JSON_DEPTH_MAX)) {
      ctx.addIssue(`is nested deeper than ${JSON_DEPTH_MAX} levels`);
      return z.NEVER;
    }
    try {
      return JSON.parse(value);
    } catch {
      ctx.addIssue("is not valid JSON");
      return z.NEVER;
    }
  }, schema);
  return parsed.meta({ [TAKES_TEXT]: true });
}
