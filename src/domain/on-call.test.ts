import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { OnCallScheduleCreate } from "../contract/on-call.ts";
import {
  findOnCall,
  findScheduleFlaw,
  listGaps,
  listOnCall,
  type Override,
  type Rotation,
  type Schedule,
  type Shift,
} from "./on-call.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const at = (text: string) => Date.parse(text);
const show = (instant: number | null) =>
  instant === null ? null : new Date(instant).toISOString().replace(":00.000Z", "Z");

const schedule = (fields: Partial<Schedule> = {}): Schedule => ({
  timezone: "UTC",
  is_active: true,
  shifts: [],
  rotations: [],
  overrides: [],
  ...fields,
});
const shift = (user_id: string, from: number, to: number): Shift => ({ user_id, start_at: from, end_at: to });
const override = (fields: Partial<Override>, from: number, to: number): Override => ({
  add_user_id: null,
  remove_user_id: null,
  ...fields,
  start_at: from,
  end_at: to,
});
const brief = (of: Schedule, from: number, to: number) =>
  listOnCall(of, { start_at: from, end_at: to }).map(
    ({ user_id, start_at, end_at }) => `${user_id} ${start_at}-${end_at}`,
  );

describe("shifts", () => {
  const day = schedule({ shifts: [shift("b", 20, 30), shift("a", 0, 10), shift("b", 10, 20)] });

  it.each([
    [-1, null],
    [0, "a"],
    [9, "a"],
    [10, "b"],
    [29, "b"],
    [30, null],
  ])("include their start and exclude their end: at %i", (instant, user) => {
    expect(findOnCall(day, instant)?.user_id ?? null).toBe(user);
  });

  it("of one person in a row are one stretch", () => {
    expect(findOnCall(day, 15)).toEqual({ user_id: "b", until: 30 });
    expect(brief(day, -5, 40)).toEqual(["null -5-0", "a 0-10", "b 10-30", "null 30-40"]);
  });

  it.each<[string, Shift[], Rotation[], string | null]>([
    ["that touch", [shift("a", 0, 10), shift("b", 10, 20)], [], null],
    ["that overlap by 1 ms", [shift("a", 0, 10), shift("b", 9, 20)], [], "shifts[1] must not overlap shifts[0]"],
    ["of one person that overlap", [shift("a", 5, 9), shift("a", 0, 6)], [], "shifts[1] must not overlap shifts[0]"],
    [
      "within another",
      [shift("a", 40, 50), shift("b", 0, 30), shift("c", 10, 20)],
      [],
      "shifts[2] must not overlap shifts[1]",
    ],
    [
      "beside a rotation",
      [shift("a", 0, 1)],
      [{ user_ids: ["a"], start_at: 0, period_hours: 1, handoff_time: null }],
      "rotations must not be set together with shifts",
    ],
  ])("are judged as a whole: %s", (_name, shifts, rotations, message) => {
    const flaw = findScheduleFlaw({ shifts, rotations });
    expect(flaw && `${flaw.path} ${flaw.message}`).toBe(message);
  });

  it.each<[string, Partial<Schedule>, string[]]>([
    ["a shift", { shifts: [shift("a", 0, 10), shift("b", 10, 20)] }, ["a 0-10", "null 10-20"]],
    [
      "a turn",
      { rotations: [{ user_ids: ["b", "a"], start_at: 0, period_hours: 1, handoff_time: null }] },
      ["null 0-20"],
    ],
    [
      "an override",
      { shifts: [shift("a", 0, 20)], overrides: [override({ add_user_id: "b" }, 5, 15)] },
      ["a 0-5", "null 5-15", "a 15-20"],
    ],
    [
      "a shift that is taken over",
      { shifts: [shift("b", 0, 20)], overrides: [override({ add_user_id: "a", remove_user_id: "b" }, 5, 15)] },
      ["null 0-5", "a 5-15", "null 15-20"],
    ],
  ])("of a user who left the team are a gap: %s", (_name, changes, intervals) => {
    expect(brief(schedule({ ...changes, absent: new Set(["b"]) }), 0, 20)).toEqual(intervals);
  });

  it("of an inactive schedule put nobody on call and leave no gap to report", () => {
    const inactive = { ...day, is_active: false };
    expect([findOnCall(inactive, 5), listGaps(inactive, { start_at: 0, end_at: 99 })]).toEqual([null, []]);
  });
});

describe("overrides", () => {
  const base = { shifts: [shift("a", 0, 10), shift("b", 10, 20)] };
  it.each<[string, Override[], string[]]>([
    [
      "put somebody on call instead",
      [override({ add_user_id: "c" }, 5, 15)],
      ["a 0-5", "c 5-15", "b 15-20", "null 20-25"],
    ],
    [
      "put somebody on call in a gap",
      [override({ add_user_id: "c" }, 18, 22)],
      ["a 0-10", "b 10-18", "c 18-22", "null 22-25"],
    ],
    ["take somebody off", [override({ remove_user_id: "a" }, 5, 15)], ["a 0-5", "null 5-10", "b 10-20", "null 20-25"]],
    [
      "replace one person alone",
      [override({ add_user_id: "c", remove_user_id: "a" }, 5, 15)],
      ["a 0-5", "c 5-10", "b 10-20", "null 20-25"],
    ],
    [
      "replace one person and fill gaps",
      [override({ add_user_id: "c", remove_user_id: "b" }, 15, 23)],
      ["a 0-10", "b 10-15", "c 15-23", "null 23-25"],
    ],
    [
      "of later entries take precedence",
      [override({ add_user_id: "c" }, 0, 10), override({ add_user_id: "d" }, 5, 15)],
      ["c 0-5", "d 5-15", "b 15-20", "null 20-25"],
    ],
    [
      "can take off whom another put on",
      [override({ add_user_id: "c" }, 0, 10), override({ remove_user_id: "c" }, 2, 4)],
      ["c 0-2", "null 2-4", "c 4-10", "b 10-20", "null 20-25"],
    ],
  ])("%s", (_name, overrides, expected) => {
    expect(brief(schedule({ ...base, overrides }), 0, 25)).toEqual(expected);
  });
});

describe("gaps", () => {
  const of = schedule({ shifts: [shift("a", 0, 10), shift("b", 20, 30)] });
  it("are listed within the range, with their true beginning", () => {
    expect(listGaps(of, { start_at: 15, end_at: 40 })).toEqual([
      { start_at: 15, end_at: 20, began_at: 10 },
      { start_at: 30, end_at: 40, began_at: 30 },
    ]);
    expect(listGaps(of, { start_at: -9, end_at: 5 })).toEqual([{ start_at: -9, end_at: 0, began_at: null }]);
    expect(listGaps(of, { start_at: 20, end_at: 30 })).toEqual([]);
    expect(listGaps(of, { start_at: 20, end_at: 20 })).toEqual([]);
  });
});

const rotation = (fields: Partial<Rotation>): Rotation => ({
  user_ids: ["a", "b", "c"],
  start_at: at("2026-03-23T08:00:00Z"),
  period_hours: 168,
  handoff_time: "09:00",
  ...fields,
});
const turns = (fields: Partial<Rotation>, timezone: string, count: number) => {
  const of = schedule({ timezone, rotations: [rotation(fields)] });
  const { start_at } = rotation(fields);
  return listOnCall(of, { start_at, end_at: start_at + 400 * DAY })
    .slice(0, count)
    .map((turn) => `${turn.user_id} ${show(turn.start_at)}`);
};

describe("rotations", () => {
  it.each<[string, Partial<Rotation>, string, string[]]>([
    [
      "keep their hand-off time when clocks go forward",
      {},
      "Europe/Berlin",
      ["a 2026-03-23T08:00Z", "b 2026-03-30T07:00Z", "c 2026-04-06T07:00Z", "a 2026-04-13T07:00Z"],
    ],
    [
      "keep it when clocks go back",
      { start_at: at("2026-10-19T07:00:00Z") },
      "Europe/Berlin",
      ["a 2026-10-19T07:00Z", "b 2026-10-26T08:00Z", "c 2026-11-02T08:00Z"],
    ],
    [
      "hand off at a skipped time one hour later on the clock",
      { start_at: at("2026-03-27T01:30:00Z"), period_hours: 24, handoff_time: "02:30" },
      "Europe/Berlin",
      ["a 2026-03-27T01:30Z", "b 2026-03-28T01:30Z", "c 2026-03-29T01:30Z", "a 2026-03-30T00:30Z"],
    ],
    [
      "hand off at the first of a repeated time",
      { start_at: at("2026-10-24T00:30:00Z"), period_hours: 24, handoff_time: "02:30" },
      "Europe/Berlin",
      ["a 2026-10-24T00:30Z", "b 2026-10-25T00:30Z", "c 2026-10-26T01:30Z"],
    ],
    [
      "of 12 hours stay at morning and evening",
      { start_at: at("2026-03-28T07:00:00Z"), period_hours: 12, handoff_time: "08:00" },
      "Europe/Berlin",
      ["a 2026-03-28T07:00Z", "b 2026-03-28T19:00Z", "c 2026-03-29T06:00Z", "a 2026-03-29T18:00Z"],
    ],
    [
      "without a hand-off time take that of their start",
      { handoff_time: null, start_at: at("2026-06-01T10:15:00Z"), period_hours: 24 },
      "Europe/Berlin",
      ["a 2026-06-01T10:15Z", "b 2026-06-02T10:15Z"],
    ],
    [
      "that start before the hand-off time keep the weekday of their start",
      { start_at: at("2026-06-01T00:00:00Z") },
      "UTC",
      ["a 2026-06-01T00:00Z", "b 2026-06-08T09:00Z", "c 2026-06-15T09:00Z"],
    ],
    [
      "that start after the hand-off time have a shorter first turn",
      { start_at: at("2026-06-01T22:00:00Z"), period_hours: 12 },
      "UTC",
      ["a 2026-06-01T22:00Z", "b 2026-06-02T09:00Z", "c 2026-06-02T21:00Z"],
    ],
    [
      "skip turns on a day that a zone skipped",
      { start_at: at("2011-12-29T18:00:00Z"), period_hours: 24, handoff_time: "08:00" },
      "Pacific/Apia",
      ["a 2011-12-29T18:00Z", "c 2011-12-30T18:00Z", "a 2011-12-31T18:00Z"],
    ],
    [
      "let the latest turn win where several hand-offs fall on the skipped day",
      { start_at: at("2011-12-29T18:00:00Z"), period_hours: 12, handoff_time: "08:00" },
      "Pacific/Apia",
      ["a 2011-12-29T18:00Z", "b 2011-12-30T06:00Z", "c 2011-12-31T06:00Z", "a 2011-12-31T18:00Z"],
    ],
  ])("%s", (_name, fields, timezone, expected) => {
    expect(turns(fields, timezone, expected.length)).toEqual(expected);
  });

  it("are the same when the range ends within a skipped day", () => {
    const start = at("2011-12-29T18:00:00Z");
    const of = schedule({
      timezone: "Pacific/Apia",
      rotations: [rotation({ start_at: start, period_hours: 12, handoff_time: "08:00" })],
    });
    const end_at = at("2011-12-30T19:00:00Z");
    const evening = at("2011-12-30T06:00:00Z");
    expect(listOnCall(of, { start_at: start, end_at })).toEqual([
      { user_id: "a", start_at: start, end_at: evening },
      { user_id: "b", start_at: evening, end_at },
    ]);
  });

  it("of one person have no end in sight, and begin where they start", () => {
    const of = schedule({ rotations: [rotation({ user_ids: ["a", "a"] })] });
    const start = at("2026-03-23T08:00:00Z");
    expect([findOnCall(of, start - 1), findOnCall(of, start)]).toEqual([null, { user_id: "a", until: null }]);
    expect(listGaps(of, { start_at: start - HOUR, end_at: start + DAY })).toEqual([
      { start_at: start - HOUR, end_at: start, began_at: null },
    ]);
  });

  it("of several people end with the next hand-off, however far it is", () => {
    const of = schedule({ rotations: [rotation({ period_hours: 24 * 60 })] });
    const start = at("2026-03-23T08:00:00Z");
    expect(show(findOnCall(of, start + 1)?.until ?? null)).toBe("2026-05-22T09:00Z");
  });
});

describe("a schedule's body", () => {
  const ID = "11111111-1111-4111-8111-111111111111";
  const span = { start_at: "2026-06-01T09:00:00+02:00", end_at: "2026-06-01T07:00:00.001Z" };
  const empty = { start_at: "2026-06-01T09:00:00+02:00", end_at: "2026-06-01T07:00:00Z" };
  const rotation = { user_ids: [ID], start_at: span.start_at, period_hours: 1 };
  it.each<[string, Record<string, unknown>, string | null]>([
    ["a shift of 1 ms", { shifts: [{ user_id: ID, ...span }] }, null],
    ["an empty shift", { shifts: [{ user_id: ID, ...empty }] }, "shifts.0.end_at must be after start_at"],
    ["an empty override", { overrides: [{ add_user_id: ID, ...empty }] }, "overrides.0.end_at must be after start_at"],
    [
      "an override of nobody",
      { overrides: [{ add_user_id: null, ...span }] },
      "overrides.0.add_user_id is required where remove_user_id is absent",
    ],
    ["an override that takes somebody off", { overrides: [{ remove_user_id: ID, ...span }] }, null],
    ["a rotation of an hour", { rotations: [{ ...rotation, handoff_time: "23:59" }] }, null],
    ["a rotation of a year", { rotations: [{ ...rotation, period_hours: 8784 }] }, null],
    ["a longer rotation", { rotations: [{ ...rotation, period_hours: 8785 }] }, "rotations.0.period_hours"],
    ["a rotation without a period", { rotations: [{ ...rotation, period_hours: 0 }] }, "rotations.0.period_hours"],
    ["a rotation of nobody", { rotations: [{ ...rotation, user_ids: [] }] }, "rotations.0.user_ids"],
    ["two rotations", { rotations: [rotation, rotation] }, "rotations"],
    [
      "a hand-off at 24:00",
      { rotations: [{ ...rotation, handoff_time: "24:00" }] },
      "rotations.0.handoff_time must be a time of day such as 09:00",
    ],
    ["an unknown zone", { timezone: "Mars/Olympus" }, "timezone must be an IANA time zone, such as Europe/Berlin"],
  ])("with %s", (_name, fields, message) => {
    const issue = OnCallScheduleCreate.safeParse({ name: "S", ...fields }).error?.issues[0];
    const found = issue && `${issue.path.join(".")} ${issue.message}`;
    if (message === null) expect(found).toBeUndefined();
    else expect(found?.startsWith(message), found).toBe(true);
  });

  it("gives instants in milliseconds, with any offset", () => {
    const { shifts } = OnCallScheduleCreate.parse({ name: "S", shifts: [{ user_id: ID, ...span }] });
    expect(shifts?.[0]).toEqual({
      user_id: ID,
      start_at: at("2026-06-01T07:00:00Z"),
      end_at: at("2026-06-01T07:00:00.001Z"),
    });
  });
});

const ZONES = [
  ...["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu"],
  ...["Africa/Casablanca", "Antarctica/Troll", "America/Havana", "Pacific/Chatham", "America/Santiago", "Asia/Beirut"],
];
const QUARTER = 15 * 60_000;
const YEARS = [
  at("2011-12-20T00:00:00Z"),
  at("2026-03-20T00:00:00Z"),
  at("2026-10-15T00:00:00Z"),
  at("2027-03-25T00:00:00Z"),
];
const anyUser = fc.constantFrom("a", "b", "c", "d");
const anySpan = fc
  .tuple(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 1, max: 400 }))
  .map(([from, length]) => ({ start_at: from * QUARTER, end_at: (from + length) * QUARTER }));
const anyOverrides = fc.array(
  fc.record({ users: fc.constantFrom("add", "remove", "both"), first: anyUser, second: anyUser, span: anySpan }),
  { maxLength: 5 },
);
const anyRotation = fc.record({
  user_ids: fc.array(anyUser, { minLength: 1, maxLength: 4 }),
  start: fc.integer({ min: 0, max: 400 }),
  period_hours: fc.constantFrom(1, 2, 7, 12, 24, 25, 48, 168),
  handoff_time: fc.option(fc.constantFrom("00:00", "02:30", "09:00", "23:45")),
});
const anyShifts = fc
  .array(fc.tuple(anyUser, fc.integer({ min: 0, max: 100 }), fc.integer({ min: 1, max: 200 })), { maxLength: 12 })
  .map((parts) => {
    let from = 0;
    return parts.map(([user_id, gap, length]) => {
      const start_at = (from + gap) * QUARTER;
      from += gap + length;
      return { user_id, start_at, end_at: from * QUARTER };
    });
  });

const anySchedule = fc
  .record({
    year: fc.constantFrom(...YEARS),
    timezone: fc.constantFrom(...ZONES),
    kind: fc.boolean(),
    shifts: anyShifts,
    rotation: anyRotation,
    overrides: anyOverrides,
  })
  .map(({ year, timezone, kind, shifts, rotation: { start, ...rotation }, overrides }) => {
    const move = <Timed extends { start_at: number; end_at: number }>(timed: Timed): Timed => ({
      ...timed,
      start_at: year + timed.start_at,
      end_at: year + timed.end_at,
    });
    return {
      year,
      schedule: schedule({
        timezone,
        shifts: kind ? shifts.map(move) : [],
        rotations: kind ? [] : [{ ...rotation, start_at: year + start * QUARTER }],
        overrides: overrides.map(({ users, first, second, span }) =>
          move({
            ...span,
            add_user_id: users === "remove" ? null : first,
            remove_user_id: users === "add" ? null : second,
          }),
        ),
      }),
    };
  });

/** All hand-offs up to a time, by Temporal's calendar, in the order of their turns. */
function listHandoffs({ start_at, period_hours, handoff_time }: Rotation, timeZone: string, to: number): number[] {
  const start = Temporal.Instant.fromEpochMilliseconds(start_at).toZonedDateTimeISO(timeZone).toPlainDateTime();
  let first = handoff_time === null ? start : start.withPlainTime(handoff_time);
  while (Temporal.PlainDateTime.compare(first.add({ hours: period_hours }), start) <= 0) {
    first = first.add({ hours: period_hours });
  }
  const handoffs = [start_at];
  for (let n = 1; (handoffs.at(-1) ?? 0) < to + 2 * DAY; n += 1) {
    handoffs.push(first.add({ hours: n * period_hours }).toZonedDateTime(timeZone).epochMilliseconds);
  }
  return handoffs;
}

/** Who is on call by looking at everything that was ever planned. */
function scan(of: Schedule, handoffs: readonly number[], instant: number): string | null {
  const [turning] = of.rotations;
  let user = of.shifts.find(({ start_at, end_at }) => start_at <= instant && instant < end_at)?.user_id ?? null;
  if (turning && instant >= turning.start_at) {
    const turn = handoffs.findLastIndex((handoff) => handoff <= instant);
    user = turning.user_ids[turn % turning.user_ids.length] ?? null;
  }
  for (const { start_at, end_at, add_user_id, remove_user_id } of of.overrides) {
    if (instant < start_at || instant >= end_at) continue;
    if (remove_user_id === null) user = add_user_id;
    else if (user === remove_user_id) user = add_user_id;
    else if (user === null) user = add_user_id;
  }
  return user;
}

describe("any schedule in any zone", () => {
  const RANGE = 25 * DAY;

  it("puts on call whom a scan over everything finds, at each instant and over the range", () => {
    const offsets = fc.array(fc.integer({ min: 0, max: RANGE / 60_000 }), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(anySchedule, offsets, ({ year, schedule: of }, minutes) => {
        const range = { start_at: year, end_at: year + RANGE };
        const handoffs = of.rotations.flatMap((each) => listHandoffs(each, of.timezone, range.end_at));
        const intervals = listOnCall(of, range);
        const instants = [
          ...minutes.map((minute) => year + minute * 60_000),
          ...intervals.map(({ start_at }) => start_at),
        ];
        for (const instant of instants) {
          const expected = scan(of, handoffs, instant);
          const interval = intervals.find(({ start_at, end_at }) => start_at <= instant && instant < end_at);
          if (interval) expect(interval.user_id).toBe(expected);
          expect(findOnCall(of, instant)?.user_id ?? null).toBe(expected);
        }
      }),
      { numRuns: 40 },
    );
  }, 120_000);

  it("covers a range without hole or overlap, the same from wherever it is read", () => {
    fc.assert(
      fc.property(anySchedule, fc.integer({ min: 0, max: RANGE / QUARTER }), ({ year, schedule: of }, skipped) => {
        const range = { start_at: year, end_at: year + RANGE };
        const intervals = listOnCall(of, range);
        let end = range.start_at;
        for (const [n, { user_id, start_at, end_at }] of intervals.entries()) {
          expect(start_at).toBe(end);
          expect(end_at).toBeGreaterThan(start_at);
          expect(user_id).not.toBe(intervals[n - 1]?.user_id);
          end = end_at;
        }
        expect(end).toBe(range.end_at);
        const from = Math.min(year + skipped * QUARTER, range.end_at - 1);
        const rest = intervals
          .filter(({ end_at }) => end_at > from)
          .map((interval) => ({ ...interval, start_at: Math.max(from, interval.start_at) }));
        expect(listOnCall(of, { start_at: from, end_at: range.end_at })).toEqual(rest);
      }),
      { numRuns: 400 },
    );
  }, 60_000);
});

/** Local starts of rotations around a change of clocks; `changes` is the hand-off of that day, by Temporal's calendar. */
const CLOCK_CHANGES: [name: string, zone: string, local: string, period_hours: number, changes: string][] = [
  ["north, forward, in the missing hour", "Europe/Berlin", "2026-03-26T02:30", 24, "2026-03-29T01:30Z"],
  ["north, forward, at its first minute", "Europe/Berlin", "2026-03-26T02:00", 24, "2026-03-29T01:00Z"],
  ["north, back, in the repeated hour", "Europe/Berlin", "2026-10-22T02:30", 24, "2026-10-25T00:30Z"],
  ["north, back, after it", "Europe/Berlin", "2026-10-22T03:00", 24, "2026-10-25T02:00Z"],
  ["north, forward, weekly", "America/New_York", "2026-03-01T02:30", 168, "2026-03-08T07:30Z"],
  ["north, back, every 12 hours", "America/New_York", "2026-10-31T13:30", 12, "2026-11-01T05:30Z"],
  ["south, forward, in the missing hour", "Australia/Sydney", "2026-10-01T02:15", 24, "2026-10-03T16:15Z"],
  ["south, back, in the repeated hour", "Australia/Sydney", "2026-04-02T02:15", 24, "2026-04-04T15:15Z"],
  ["south, forward, at the missing midnight", "America/Santiago", "2026-09-03T00:00", 24, "2026-09-06T04:00Z"],
  [
    "south, back, at the repeated hour before midnight",
    "America/Santiago",
    "2026-04-02T23:30",
    24,
    "2026-04-05T02:30Z",
  ],
  ["half an hour forward, in the missing half", "Australia/Lord_Howe", "2026-10-01T02:15", 24, "2026-10-03T15:45Z"],
  ["half an hour forward, behind it", "Australia/Lord_Howe", "2026-10-01T02:30", 24, "2026-10-03T15:30Z"],
  ["half an hour back, in the repeated half", "Australia/Lord_Howe", "2026-04-02T01:45", 24, "2026-04-04T14:45Z"],
  ["half an hour back, behind it", "Australia/Lord_Howe", "2026-04-02T02:00", 24, "2026-04-04T15:30Z"],
  ["every hour, through the repeated one", "Europe/Berlin", "2026-10-24T20:00", 1, "2026-10-25T00:00Z"],
  ["every hour, through the missing one", "Europe/Berlin", "2026-03-28T20:00", 1, "2026-03-29T01:00Z"],
  ["every hour, through the repeated half", "Australia/Lord_Howe", "2026-04-04T20:00", 1, "2026-04-04T14:00Z"],
  ["every hour, through the missing half", "Australia/Lord_Howe", "2026-10-03T20:00", 1, "2026-10-03T15:30Z"],
  ["a zone whose summer is standard time", "Africa/Casablanca", "2026-02-12T02:30", 24, "2026-02-15T01:30Z"],
  ["two hours forward", "Antarctica/Troll", "2026-03-26T02:00", 24, "2026-03-29T02:00Z"],
];

describe("a week in which clocks change", () => {
  it.each(CLOCK_CHANGES)("%s (%s): hands off as the calendar says", (_name, timezone, local, period_hours, changes) => {
    const start_at = Temporal.PlainDateTime.from(local).toZonedDateTime(timezone).epochMilliseconds;
    const of = schedule({
      timezone,
      rotations: [rotation({ user_ids: ["a", "b", "c"], start_at, period_hours, handoff_time: null })],
    });
    const end_at = start_at + (period_hours === 168 ? 21 : period_hours === 1 ? 1 : 7) * DAY;
    const [turning] = of.rotations;
    const handoffs = turning ? listHandoffs(turning, timezone, end_at) : [];
    expect(handoffs.map((handoff) => show(handoff))).toContain(changes);
    for (let instant = start_at; instant < end_at; instant += 15 * 60_000) {
      expect(findOnCall(of, instant)?.user_id, show(instant) ?? "").toBe(scan(of, handoffs, instant));
    }
    const starts = listOnCall(of, { start_at, end_at }).map((interval) => interval.start_at);
    // A hand-off at the very time of another one leaves its turn no time.
    const begun = [...new Set(handoffs)].filter((handoff) => handoff < end_at).sort((a, b) => a - b);
    expect(starts.map(show)).toEqual(begun.map(show));
  });

  it.each(CLOCK_CHANGES)("%s (%s): a shift that starts then is on call from its instant", (_name, timezone, local) => {
    const day = Temporal.PlainDateTime.from(local).add({ days: 3 });
    const starts = day.toZonedDateTime(timezone).epochMilliseconds;
    const ends = day.add({ hours: 8 }).toZonedDateTime(timezone).epochMilliseconds;
    const of = schedule({ timezone, shifts: [shift("a", starts, ends)] });
    const onCall = [starts - 1, starts, ends - 1, ends].map((instant) => findOnCall(of, instant)?.user_id ?? null);
    expect(onCall).toEqual([null, "a", "a", null]);
  });
});
