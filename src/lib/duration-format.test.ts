import { expect, it } from "vitest";
import { spanOf } from "./duration-format.ts";
import { DAY_MS, HOUR_MS } from "./durations.ts";

it.each([
  [0, "1 hour"],
  [1.9 * HOUR_MS, "1 hour"],
  [2 * HOUR_MS, "2 hours"],
  [DAY_MS - 1, "23 hours"],
  [DAY_MS, "1 day"],
  [72 * HOUR_MS, "3 days"],
])("%i ms are %s", (milliseconds, words) => {
  expect(spanOf(milliseconds)).toBe(words);
});
