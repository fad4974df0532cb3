import { describe, expect, it } from "vitest";
import { parseWeeklyHours, weeklyHours } from "./weekly-hours.ts";

const read = (text: string) => {
  const parsed = parseWeeklyHours(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.value;
};
const at = (text: string) => Date.parse(text);

describe("hours of a week", () => {
  it.each([
    ["", "must have spans such as Mon-Fri 08:00-18:00, separated by commas"],
    ["Mon", "must have spans such as Mon-Fri 08:00-18:00, separated by commas"],
    ["Mon 24:00-25:00", "must have spans such as Mon-Fri 08:00-18:00, separated by commas"],
    ["Mon 08:60-10:00", "must have spans such as Mon-Fri 08:00-18:00, separated by commas"],
    ["Mo 08:00-10:00", "must have spans such as Mon-Fri 08:00-18:00, separated by commas"],
    ["Mon 08:00-10:00,", "must have spans such as Mon-Fri 08:00-18:00, separated by commas"],
    [Array.from({ length: 15 }, () => "08:00-09:00").join(), "must not hold more than 14 spans"],
  ])("refuse %j", (text, reason) => {
    expect(parseWeeklyHours(text)).toEqual({ ok: false, reason });
  });

  // 2026-11-23 is a Monday.
  it.each([
    ["mon-fri 08:00-18:00", "UTC", "2026-11-23T08:00Z", true],
    ["mon-fri 08:00-18:00", "UTC", "2026-11-23T07:59:59Z", false],
    ["mon-fri 08:00-18:00", "UTC", "2026-11-23T18:00Z", false],
    ["mon-fri 08:00-18:00", "UTC", "2026-11-28T12:00Z", false],
    ["mon-fri 08:00-18:00", "Europe/Berlin", "2026-11-23T07:00Z", true],
    ["mon-fri 08:00-18:00", "Europe/Berlin", "2026-07-20T06:00Z", true],
    ["Fri-Mon 9:00-24:00", "UTC", "2026-11-22T23:59Z", true],
    ["Fri-Mon 9:00-24:00", "UTC", "2026-11-24T10:00Z", false],
    ["Sun 22:00-02:00", "UTC", "2026-11-23T01:59Z", true],
    ["Sun 22:00-02:00", "UTC", "2026-11-23T02:00Z", false],
    ["22:00-06:00", "UTC", "2026-11-25T05:00Z", true],
    ["00:00-00:00", "UTC", "2026-11-25T05:00Z", true],
    ["Sat 10:00-14:00, Mon 08:00-09:00", "UTC", "2026-11-23T08:30Z", true],
  ])("%s in %s: %s is inside: %s", (text, zone, instant, isInside) => {
    expect(weeklyHours(read(text), zone).contains(at(instant))).toBe(isInside);
  });

  it.each([
    ["mon-fri 08:00-18:00", "2026-11-28T12:00Z", "2026-11-27T18:00Z", "2026-11-30T08:00Z"],
    ["mon-fri 08:00-18:00", "2026-11-23T07:00Z", "2026-11-20T18:00Z", "2026-11-23T08:00Z"],
    ["Sun 22:00-02:00", "2026-11-23T02:00Z", "2026-11-23T02:00Z", "2026-11-29T22:00Z"],
  ])("%s seen from %s ended at %s and begin at %s", (text, now, ended, begin) => {
    const hours = weeklyHours(read(text), "UTC");
    expect(new Date(hours.endedBefore(at(now))).toISOString()).toBe(new Date(ended).toISOString());
    expect(new Date(hours.beginAfter(at(now))).toISOString()).toBe(new Date(begin).toISOString());
  });

  it("follow the clock on the wall over its changes", () => {
    const hours = weeklyHours(read("Mon-Sun 08:00-18:00"), "Europe/Berlin");
    // Clocks go back in the night to Sunday, 25 October 2026.
    expect(hours.beginAfter(at("2026-10-24T20:00Z"))).toBe(at("2026-10-25T07:00Z"));
    expect(hours.endedBefore(at("2026-10-25T06:00Z"))).toBe(at("2026-10-24T16:00Z"));
  });
});
