import { describe, expect, it } from "vitest";
import { durationInWords, formatDuration, formatMilliseconds, spanOf } from "./duration-format.ts";
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

describe("formatDuration", () => {
  it.each([
    [0, "0 s"],
    [8, "8 s"],
    [60, "1 min"],
    [754, "12 min 34 s"],
    [3600, "1 h"],
    [3601, "1 h"],
    [7260, "2 h 1 min"],
    [86_399, "23 h 59 min"],
    [183_600, "2 d 3 h"],
  ])("%i seconds are %s", (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });
});

describe("durationInWords", () => {
  it.each([
    [0, "less than a second"],
    [1, "1 second"],
    [60, "1 minute"],
    [754, "12 minutes 34 seconds"],
    [90_000, "1 day 1 hour"],
  ])("%i seconds are %s", (seconds, text) => {
    expect(durationInWords(seconds)).toBe(text);
  });
});

it.each([
  [0, "0 ms"],
  [84.4, "84 ms"],
  [999.5, "1,000 ms"],
  [2340, "2,340 ms"],
  [1_234_567, "1,234,567 ms"],
])("a latency of %d ms is %s", (milliseconds, text) => {
  expect(formatMilliseconds(milliseconds)).toBe(text);
});
