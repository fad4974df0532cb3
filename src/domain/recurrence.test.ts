import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { findRecurrenceError, type Occurrence, occurrencesFrom, type Recurrence } from "./recurrence.ts";

const HOUR = 3_600_000;
const at = (text: string) => Date.parse(text);

function rule(fields: Partial<Recurrence>): Recurrence {
  const start_time = fields.start_time ?? at("2026-01-31T10:00:00Z");
  return {
    start_time,
    end_time: start_time + HOUR,
    recurrence_type: "none",
    recurrence_interval: 1,
    recurrence_end_date: null,
    recurrence_day_of_week: null,
    recurrence_day_of_month: null,
    ...fields,
  };
}

function take(count: number, from: Iterable<Occurrence>): Occurrence[] {
  const found: Occurrence[] = [];
  if (count === 0) return found;
  for (const each of from) {
    found.push(each);
    if (found.length === count) break;
  }
  return found;
}

const startsOf = (fields: Partial<Recurrence>, timezone: string, count = 3, from = 0) =>
  take(count, occurrencesFrom(rule(fields), timezone, from)).map(({ start_at }) =>
    new Date(start_at).toISOString().replace(":00.000Z", "Z"),
  );

describe("occurrences", () => {
  it.each<[string, Partial<Recurrence>, string, string[]]>([
    ["once", {}, "UTC", ["2026-01-31T10:00Z"]],
    [
      "daily",
      { recurrence_type: "daily", recurrence_interval: 2 },
      "UTC",
      ["2026-01-31T10:00Z", "2026-02-02T10:00Z", "2026-02-04T10:00Z"],
    ],
    [
      "weekly on their own day",
      { recurrence_type: "weekly" },
      "UTC",
      ["2026-01-31T10:00Z", "2026-02-07T10:00Z", "2026-02-14T10:00Z"],
    ],
    [
      "weekly on the next Sunday",
      { recurrence_type: "weekly", recurrence_day_of_week: 0, recurrence_interval: 2 },
      "UTC",
      ["2026-02-01T10:00Z", "2026-02-15T10:00Z", "2026-03-01T10:00Z"],
    ],
    [
      "monthly, clamped but not drifting",
      { recurrence_type: "monthly" },
      "UTC",
      ["2026-01-31T10:00Z", "2026-02-28T10:00Z", "2026-03-31T10:00Z"],
    ],
    [
      "monthly from the next month on",
      { recurrence_type: "monthly", recurrence_day_of_month: 30 },
      "UTC",
      ["2026-02-28T10:00Z", "2026-03-30T10:00Z", "2026-04-30T10:00Z"],
    ],
    [
      "in a leap year",
      { recurrence_type: "monthly", start_time: at("2028-01-29T10:00:00Z") },
      "UTC",
      ["2028-01-29T10:00Z", "2028-02-29T10:00Z", "2028-03-29T10:00Z"],
    ],
    [
      "yearly by months",
      { recurrence_type: "monthly", recurrence_interval: 12, start_time: at("2028-02-29T10:00:00Z") },
      "UTC",
      ["2028-02-29T10:00Z", "2029-02-28T10:00Z", "2030-02-28T10:00Z"],
    ],
    [
      "forward by a gap",
      { recurrence_type: "daily", start_time: at("2027-03-27T01:30:00Z") },
      "Europe/Berlin",
      ["2027-03-27T01:30Z", "2027-03-28T01:30Z", "2027-03-29T00:30Z"],
    ],
    [
      "the first of a time that exists twice",
      { recurrence_type: "daily", start_time: at("2026-10-24T00:30:00Z") },
      "Europe/Berlin",
      ["2026-10-24T00:30Z", "2026-10-25T00:30Z", "2026-10-26T01:30Z"],
    ],
    [
      "by the date of the zone",
      { recurrence_type: "monthly", start_time: at("2026-01-30T12:00:00Z") },
      "Pacific/Kiritimati",
      ["2026-01-30T12:00Z", "2026-02-27T12:00Z", "2026-03-30T12:00Z"],
    ],
    [
      "once where a zone skipped a day",
      { recurrence_type: "daily", start_time: at("2011-12-29T20:00:00Z") },
      "Pacific/Apia",
      ["2011-12-29T20:00Z", "2011-12-30T20:00Z", "2011-12-31T20:00Z"],
    ],
  ])("come %s", (_name, fields, timezone, starts) => {
    expect(startsOf(fields, timezone)).toEqual(starts);
  });

  it.each([
    ["1 ms before the end", HOUR - 1, "2026-01-31T10:00Z"],
    ["at the end, which is exclusive", HOUR, "2026-02-01T10:00Z"],
  ])("count as present until their end: %s", (_name, after, start) => {
    const from = at("2026-01-31T10:00:00Z") + after;
    expect(startsOf({ recurrence_type: "daily" }, "UTC", 1, from)).toEqual([start]);
  });

  it.each([
    ["on the last start", "2026-02-02T10:00:00.000Z", 3],
    ["1 ms before it", "2026-02-02T09:59:59.999Z", 2],
  ])("end with their end date: %s", (_name, last, count) => {
    expect(startsOf({ recurrence_type: "daily", recurrence_end_date: at(last) }, "UTC", 9)).toHaveLength(count);
  });
});

describe("findRecurrenceError", () => {
  const lasting = (type: Recurrence["recurrence_type"], ms: number, interval = 1) =>
    rule({ recurrence_type: type, recurrence_interval: interval, end_time: rule({}).start_time + ms });

  it.each<[string, Recurrence, boolean]>([
    ["an end at the start", lasting("none", 0), false],
    ["an end after it", lasting("none", 1), true],
    ["23 hours daily", lasting("daily", 23 * HOUR), true],
    ["a whole day daily", lasting("daily", 24 * HOUR), true],
    ["a little more", lasting("daily", 24 * HOUR + 1), false],
    ["two days every other day", lasting("daily", 48 * HOUR, 2), true],
    ["a week weekly", lasting("weekly", 168 * HOUR), true],
    ["a little more than a week weekly", lasting("weekly", 168 * HOUR + 1), false],
    ["28 days monthly", lasting("monthly", 28 * 24 * HOUR), true],
    ["30 days monthly", lasting("monthly", 30 * 24 * HOUR), false],
    ["an end date at the start", rule({ recurrence_type: "daily", recurrence_end_date: rule({}).start_time }), true],
    ["an end date before it", rule({ recurrence_type: "daily", recurrence_end_date: rule({}).start_time - 1 }), false],
  ])("judges %s", (_name, given, isGood) => {
    expect(findRecurrenceError(given, "UTC") === null).toBe(isGood);
  });

  it.each<[string, number, string, boolean]>([
    ["23 hours where the clocks take an hour", 23 * HOUR, "Europe/Berlin", true],
    ["a little more", 23 * HOUR + 1, "Europe/Berlin", false],
    ["23 and a half hours where they take half an hour", 23.5 * HOUR, "Australia/Lord_Howe", true],
    ["a little more of these", 23.5 * HOUR + 1, "Australia/Lord_Howe", false],
    ["a whole day where clocks never change", 24 * HOUR, "Asia/Tokyo", true],
  ])("refuses what overlaps on the day of a clock change alone: %s", (_name, ms, timezone, isGood) => {
    expect(findRecurrenceError(lasting("daily", ms), timezone) === null).toBe(isGood);
  });

  it("allows a long daily occurrence whose last one is before the clocks change", () => {
    const start_time = at("2026-03-20T10:00:00Z");
    const given = { ...lasting("daily", 24 * HOUR), start_time, end_time: start_time + 24 * HOUR };
    const until = (end: string) => findRecurrenceError({ ...given, recurrence_end_date: at(end) }, "Europe/Berlin");
    expect([until("2026-03-27T12:00:00Z"), until("2026-04-02T12:00:00Z")]).toEqual([null, expect.any(String)]);
  });
});

/** The same rules by another calendar: day by day, in Temporal's terms. */
function oracle(given: Recurrence, timeZone: string, days: number): number[] {
  const start = Temporal.Instant.fromEpochMilliseconds(given.start_time).toZonedDateTimeISO(timeZone);
  const time = start.toPlainTime();
  const starts: number[] = [];
  let anchor: Temporal.PlainDate | undefined;
  for (let n = 0; n < days; n += 1) {
    const date = start.toPlainDate().add({ days: n });
    if (!fits(given, date, start.toPlainDate(), anchor)) continue;
    anchor ??= date;
    const instant = date.toZonedDateTime({ timeZone, plainTime: time }).epochMilliseconds;
    const exact = n === 0 ? given.start_time : instant;
    if (exact !== starts.at(-1)) starts.push(exact);
  }
  return starts;
}

function fits(given: Recurrence, date: Temporal.PlainDate, first: Temporal.PlainDate, anchor?: Temporal.PlainDate) {
  const { recurrence_type: type, recurrence_interval: interval } = given;
  const from = anchor ?? date;
  if (type === "daily") return from.until(date).days % interval === 0;
  if (type === "weekly") {
    const weekday = given.recurrence_day_of_week ?? first.dayOfWeek % 7;
    return date.dayOfWeek % 7 === weekday && (from.until(date).days / 7) % interval === 0;
  }
  const day = Math.min(given.recurrence_day_of_month ?? first.day, date.daysInMonth);
  const months = (date.year - from.year) * 12 + date.month - from.month;
  return date.day === day && months % interval === 0;
}

const ZONES = [
  ...["UTC", "Europe/Berlin", "Europe/London", "America/New_York", "America/St_Johns", "America/Santiago"],
  ...["Australia/Lord_Howe", "Pacific/Apia", "Pacific/Auckland", "Asia/Kathmandu", "Africa/Casablanca"],
  ...["Africa/Cairo", "Asia/Tehran", "Pacific/Chatham", "Antarctica/Troll", "America/Havana", "Asia/Beirut"],
];

describe("any rule in any zone", () => {
  const rules = fc.record({
    start_time: fc.integer({ min: at("2010-01-01T00:00:00Z") / 900_000, max: at("2031-01-01T00:00:00Z") / 900_000 }),
    recurrence_type: fc.constantFrom("daily" as const, "weekly" as const, "monthly" as const),
    recurrence_interval: fc.integer({ min: 1, max: 4 }),
    recurrence_day_of_week: fc.option(fc.integer({ min: 0, max: 6 })),
    recurrence_day_of_month: fc.option(fc.integer({ min: 1, max: 31 })),
  });

  it("has the occurrences that Temporal gives, from wherever it is read", () => {
    fc.assert(
      fc.property(rules, fc.constantFrom(...ZONES), fc.integer({ min: 0, max: 400 }), (fields, timezone, skipped) => {
        const given = rule({ ...fields, start_time: fields.start_time * 900_000 });
        const expected = oracle(given, timezone, 400);
        const from = given.start_time + skipped * 24 * HOUR;
        const rest = expected.filter((start) => start + HOUR > from);
        const found = take(rest.length, occurrencesFrom(given, timezone, from)).map(({ start_at }) => start_at);
        expect(found).toEqual(rest);
      }),
      { numRuns: 500 },
    );
  }, 60_000);
});
