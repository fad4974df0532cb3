import { expect, it } from "vitest";
import { spanOf } from "./duration-format.ts";

const HOUR_MS = 3_600_000;

it.each([
  [0, "1 hour"],
  [1.9 * HOUR_MS, "1 hour"],
  [2 * HOUR_MS, "2 hours"],
  [24 * HOUR_MS - 1, "23 hours"],
  [24 * HOUR_MS, "1 day"],
  [72 * HOUR_MS, "3 days"],
])("%i ms are %s", (milliseconds, words) => {
  expect(spanOf(milliseconds)).toBe(words);
});
