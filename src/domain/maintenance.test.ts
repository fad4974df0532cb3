import { describe, expect, it } from "vitest";
import {
  announcedStart,
  findOccurrence,
  listOccurrences,
  type MaintenanceWindow,
  maintenanceStatus,
  trackBoundary,
} from "./maintenance.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const daily: MaintenanceWindow = {
  start_time: 0,
  end_time: HOUR,
  recurrence_type: "daily",
  recurrence_interval: 1,
  recurrence_end_date: 3 * DAY,
  recurrence_day_of_week: null,
  recurrence_day_of_month: null,
  cancelled_starts: [],
  done_until: 0,
};

describe("findOccurrence", () => {
  it.each<[string, Partial<MaintenanceWindow>, number, number | null]>([
    ["the one to come", {}, -1, 0],
    ["the one in progress", {}, HOUR - 1, 0],
    ["the next after the end", {}, HOUR, DAY],
    ["the next where the present one was ended", { done_until: 1 }, HOUR - 1, DAY],
    ["the next but cancelled ones", { cancelled_starts: [DAY, 2 * DAY] }, HOUR, 3 * DAY],
    ["none when none is left", {}, 3 * DAY + HOUR, null],
    ["none when the last ones are cancelled", { cancelled_starts: [2 * DAY, 3 * DAY] }, DAY + HOUR, null],
  ])("gives %s", (_name, fields, now, start_at) => {
    const found = start_at === null ? null : { start_at, end_at: start_at + HOUR };
    expect(findOccurrence({ ...daily, ...fields }, "UTC", now)).toEqual(found);
  });
});

describe("listOccurrences", () => {
  it("is half-open and bounded", () => {
    const starts = (from: number, to: number, max = 9) =>
      listOccurrences(daily, "UTC", { from, to, max }).map(({ start_at }) => start_at / DAY);
    expect(starts(HOUR - 1, 2 * DAY)).toEqual([0, 1]);
    expect(starts(HOUR, 2 * DAY + 1)).toEqual([1, 2]);
    expect(starts(0, 9 * DAY, 2)).toEqual([0, 1]);
    expect(starts(0, 9 * DAY, 0)).toEqual([]);
  });
});

describe("maintenanceStatus", () => {
  it.each([
    [-1, "scheduled"],
    [0, "in_progress"],
  ])("at %d ms after the start is %s", (now, status) => {
    expect(maintenanceStatus({ start_at: 0, end_at: HOUR }, now)).toBe(status);
  });

  it("is completed without an occurrence", () => {
    expect(maintenanceStatus(null, 0)).toBe("completed");
  });
});

describe("what a window follows", () => {
  const occurrence = { start_at: 5, end_at: 9 };

  it("is due at its beginning until that was announced, then at its end", () => {
    expect(trackBoundary(occurrence, null)).toMatchObject({ next_edge_at: 5 });
    expect(trackBoundary(occurrence, 4)).toMatchObject({ next_edge_at: 5 });
    expect(trackBoundary(occurrence, 5)).toMatchObject({ next_edge_at: 9 });
    expect(trackBoundary(null, 5)).toMatchObject({ next_edge_at: null });
  });

  it("remembers what was announced", () => {
    expect(announcedStart(trackBoundary(occurrence, null))).toBeNull();
    expect(announcedStart(trackBoundary(occurrence, 5))).toBe(5);
    expect(announcedStart(trackBoundary(null, null))).toBeNull();
  });
});
