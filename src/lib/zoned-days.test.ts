import { describe, expect, it } from "vitest";
import { HOUR_MS } from "./durations.ts";
import { dateIn, listDaysOfMonth, listDaysUntil, monthOf, nextMonth } from "./zoned-days.ts";

const at = (text: string) => Date.parse(text);

describe("days of a zone", () => {
  it("are the calendar's, oldest first, up to the one that holds the instant", () => {
    expect(listDaysUntil(at("2026-03-01T12:00:00Z"), "UTC", 3)).toEqual([
      { date: "2026-02-27", from_at: at("2026-02-27T00:00:00Z"), to_at: at("2026-02-28T00:00:00Z") },
      { date: "2026-02-28", from_at: at("2026-02-28T00:00:00Z"), to_at: at("2026-03-01T00:00:00Z") },
      { date: "2026-03-01", from_at: at("2026-03-01T00:00:00Z"), to_at: at("2026-03-02T00:00:00Z") },
    ]);
  });

  it.each([
    ["the last millisecond of a day", "2026-06-01T21:59:59.999Z", "2026-06-01"],
    ["the first millisecond of the next", "2026-06-01T22:00:00Z", "2026-06-02"],
  ])("begin at midnight: %s", (_name, now, date) => {
    expect(listDaysUntil(at(now), "Europe/Berlin", 1)[0]?.date).toBe(date);
    expect(dateIn("Europe/Berlin", at(now))).toBe(date);
  });

  it.each<[zone: string, date: string, from: string, hours: number]>([
    ["Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z", 23],
    ["Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00Z", 25],
    ["America/New_York", "2026-11-01", "2026-11-01T04:00:00Z", 25],
    ["Australia/Lord_Howe", "2026-10-04", "2026-10-03T13:30:00Z", 23.5],
    ["Asia/Kathmandu", "2026-05-05", "2026-05-04T18:15:00Z", 24],
    ["Pacific/Kiritimati", "2026-05-05", "2026-05-04T10:00:00Z", 24],
    ["Pacific/Niue", "2026-05-05", "2026-05-05T11:00:00Z", 24],
    // Midnight does not exist: the clock jumps from 23:59 to 01:00.
    ["Africa/Cairo", "2025-04-25", "2025-04-24T22:00:00Z", 23],
    ["America/Havana", "2025-03-09", "2025-03-09T05:00:00Z", 23],
    // Midnight exists twice: the clock goes back from 01:00 to 00:00.
    ["America/Havana", "2025-11-02", "2025-11-02T04:00:00Z", 25],
  ])("in %s, %s begins %s and has %f hours", (zone, date, from, hours) => {
    const day = listDaysUntil(at(from) + 12 * HOUR_MS, zone, 1)[0];
    expect(day).toEqual({ date, from_at: at(from), to_at: at(from) + hours * HOUR_MS });
  });

  it("hold every instant, one that the clock shows twice over midnight, too", () => {
    const day = { date: "2010-11-07", from_at: at("2010-11-07T02:30:00Z"), to_at: at("2010-11-08T03:30:00Z") };
    // The clock went back from 00:01 to 23:01.
    for (const now of [
      "2010-11-07T02:30:00Z",
      "2010-11-07T02:31:00Z",
      "2010-11-07T03:29:59Z",
      "2010-11-07T03:30:00Z",
    ]) {
      expect(listDaysUntil(at(now), "America/St_Johns", 1), now).toEqual([day]);
    }
  });

  it.each([
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Africa/Cairo",
    "Asia/Beirut",
    "America/St_Johns",
  ])("adjoin without gap or overlap over two years of %s", (zone) => {
    const days = listDaysUntil(at("2026-12-31T12:00:00Z"), zone, 730);
    expect(new Set(days.map((day) => day.date)).size).toBe(730);
    for (const [n, day] of days.entries()) {
      expect(day.from_at).toBeLessThan(day.to_at);
      expect(dateIn(zone, day.from_at)).toBe(day.date);
      expect(dateIn(zone, day.from_at - 1)).not.toBe(day.date);
      if (n > 0) expect(days[n - 1]?.to_at).toBe(day.from_at);
    }
  });
});

describe("the days of a month", () => {
  it.each<[month: string, zone: string, count: number, from: string, to: string]>([
    ["2026-02", "UTC", 28, "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"],
    ["2028-02", "UTC", 29, "2028-02-01T00:00:00Z", "2028-03-01T00:00:00Z"],
    ["2026-12", "Asia/Tokyo", 31, "2026-11-30T15:00:00Z", "2026-12-31T15:00:00Z"],
    ["2026-10", "Europe/Berlin", 31, "2026-09-30T22:00:00Z", "2026-10-31T23:00:00Z"],
  ])("%s in %s", (month, zone, count, from, to) => {
    const days = listDaysOfMonth(month, zone);
    expect([days.length, days[0]?.from_at, days.at(-1)?.to_at]).toEqual([count, at(from), at(to)]);
    expect(days.map(({ date }) => monthOf(date))).toEqual(days.map(() => month));
    expect(days).toEqual(listDaysUntil(at(to) - 1, zone, count));
  });

  it("are followed by those of the next month", () => {
    expect(["2026-01", "2026-09", "2026-12"].map(nextMonth)).toEqual(["2026-02", "2026-10", "2027-01"]);
  });
});
