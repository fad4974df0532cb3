import { describe, expect, it } from "vitest";
import { describeRest, hoursOf, intervalsWhileDown, isDueWhileDown } from "./check-rest.ts";

describe("the hours of a monitor", () => {
  it("are those of its zone, UTC where it names none", () => {
    const at = Date.parse("2026-11-23T07:30Z");
    expect(hoursOf({ hours: "Mon 08:00-09:00", hours_timezone: "Europe/Berlin" })?.contains(at)).toBe(true);
    expect(hoursOf({ hours: "Mon 08:00-09:00", hours_timezone: null })?.contains(at)).toBe(false);
    expect(hoursOf({ hours: "", hours_timezone: null })).toBeNull();
  });

  it("are said where it rests", () => {
    expect(describeRest({ hours: "Mon 08:00-09:00", hours_timezone: null })).toBe(
      "outside of its hours: Mon 08:00-09:00, UTC",
    );
  });
});

describe("checks while a monitor is down", () => {
  it.each([
    [60, null, 1],
    [60, 60, 1],
    [60, 61, 2],
    [60, 900, 15],
  ])("of every %i s with interval_down %s are every %i of them", (interval, down, every) => {
    expect(intervalsWhileDown(interval, down)).toBe(every);
  });

  it("come as often as that, at any phase of the slots", () => {
    for (const phase of [0, 7_000, 59_000]) {
      const slots = Array.from({ length: 30 }, (_, n) => 1_700_000_000_000 + phase + n * 60_000);
      expect(slots.filter((slot) => isDueWhileDown(slot, 60, 15))).toHaveLength(2);
    }
  });
});
