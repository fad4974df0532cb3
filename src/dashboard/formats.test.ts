import { describe, expect, it } from "vitest";
import { inEnglish } from "../../test/support/english-words.ts";
import { durationInWords, formatDistance, formatDuration, formatMilliseconds } from "./formats.ts";

const NOW = Date.parse("2026-11-20T12:00:00Z");
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe("the distance of an instant", () => {
  it.each([
    ["this instant", 0, "just now"],
    ["59 s ago", -59 * SECOND, "just now"],
    ["59 s ahead", 59 * SECOND, "in a moment"],
    ["a minute ago", -MINUTE, "1 min ago"],
    ["59 min ahead", 59 * MINUTE, "in 59 min"],
    ["an hour ago", -HOUR, "1 h ago"],
    ["almost a day ahead", DAY - 1, "in 23 h"],
    ["a day ago", -DAY, "1 day ago"],
    ["30 days ago", -30 * DAY, "30 days ago"],
    ["longer ago", -31 * DAY, "20 Oct 2026"],
    ["further ahead", 31 * DAY, "21 Dec 2026"],
  ])("is said in words or as a date: %s", (_name, distance, expected) => {
    expect(inEnglish(() => formatDistance(NOW + distance, NOW))).toBe(expected);
  });
});

it.each([
  [() => formatDuration(183_845), "2 d 3 h"],
  [() => formatDuration(0), "0 s"],
  [() => durationInWords(93_600), "1 day 2 hours"],
  [() => durationInWords(0.4), "less than a second"],
  [() => formatMilliseconds(2339.6), "2,340 ms"],
])("durations are said by their two largest units, and latencies in whole milliseconds: %s", (format, said) => {
  expect(inEnglish(format)).toBe(said);
});
