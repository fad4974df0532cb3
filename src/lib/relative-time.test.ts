import { describe, expect, it } from "vitest";
import { plural, relativeTime } from "./relative-time.ts";

const NOW = Date.parse("2026-11-20T12:00:00Z");
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe("relativeTime", () => {
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
  ])("formats %s", (_name, distance, expected) => {
    expect(relativeTime(NOW + distance, NOW)).toBe(expected);
  });
});

describe("plural", () => {
  it.each([
    [0, "0 days"],
    [1, "1 day"],
    [2, "2 days"],
  ])("of %i", (count, expected) => {
    expect(plural(count, "day")).toBe(expected);
  });
});
