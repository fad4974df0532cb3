import { describe, expect, it } from "vitest";
import type { Schedule } from "./on-call.ts";
import { composeGapNotice, composeShiftReminder, describeGap, listNotices } from "./on-call-notices.ts";

const HOUR = 3_600_000;
const NOW = Date.parse("2026-03-28T12:00:00Z");
const at = (hours: number) => NOW + hours * HOUR;
const schedule = (shifts: Schedule["shifts"], overrides: Schedule["overrides"] = []): Schedule => ({
  timezone: "Europe/Berlin",
  is_active: true,
  rotations: [],
  shifts,
  overrides,
});
const shift = (user_id: string, start: number, end: number) => ({ user_id, start_at: at(start), end_at: at(end) });

describe("what users learn in advance about a schedule", () => {
  it.each([
    ["a shift in 12 hours", schedule([shift("a", 12, 20)]), ["a"]],
    ["a shift in more than 12 hours", schedule([shift("a", 12.1, 20)]), []],
    ["a shift that has begun", schedule([shift("a", -1, 20)]), []],
    ["a hand-off", schedule([shift("a", -1, 2), shift("b", 2, 20)]), ["b"]],
    ["two shifts of one user in a row", schedule([shift("a", -1, 2), shift("a", 2, 20)]), []],
  ])("reminds of %s", (_name, of, users) => {
    expect(listNotices(of, NOW).shifts.map(({ user_id }) => user_id)).toEqual(users);
  });

  it.each([
    ["a gap within 72 hours", schedule([shift("a", -1, 71), shift("b", 73, 99)]), [[71, 72]]],
    ["no gap after 72 hours", schedule([shift("a", -1, 73)]), []],
    ["no gap of an inactive schedule", { ...schedule([]), is_active: false }, []],
    ["the gap in which it is", schedule([shift("a", -5, -1), shift("a", 5, 99)]), [[0, 5]]],
  ])("names %s", (_name, of, gaps) => {
    expect(listNotices(of, NOW).gaps.map(({ start_at, end_at }) => [start_at, end_at])).toEqual(
      gaps.map(([start = 0, end = 0]) => [at(start), at(end)]),
    );
  });

  it("describes a gap in the zone of the schedule", () => {
    const gap = { start_at: at(13), end_at: at(20), began_at: at(13) };
    expect(describeGap({ name: "Primary", timezone: "Europe/Berlin" }, gap, NOW)).toBe(
      "nobody is on call by Primary from 29 Mar 2026, 03:00 CEST until 29 Mar 2026, 10:00 CEST",
    );
  });

  it.each([
    ["until when a turn lasts", 20, " until 29 Mar 2026, 10:00 CEST"],
    ["no end beyond what was looked at", 72, ""],
  ])("says in its reminder %s", (_name, end, until) => {
    const named = { id: "s", name: "Primary", timezone: "Europe/Berlin" };
    const { text } = composeShiftReminder(named, shift("a", 11, end), { now: NOW, links: [] });
    expect(text).toBe(`You are on call from 29 Mar 2026, 00:00 CET${until}.`);
  });

  it("begins the notice of a gap with who is missing", () => {
    const gap = { start_at: NOW, end_at: at(2), began_at: NOW };
    const named = { id: "s", name: "Primary", timezone: "Europe/Berlin" };
    expect(composeGapNotice(named, gap, { now: NOW, links: [] }).text).toBe(
      "Nobody is on call by Primary from now until 28 Mar 2026, 15:00 CET. Add a shift or an override.",
    );
  });
});
