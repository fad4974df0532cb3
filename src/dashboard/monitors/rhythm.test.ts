import { describe, expect, it } from "vitest";
import { inEnglish } from "../../../test/support/english-words.ts";
import { readRhythm, rhythmInWords, rhythmValues } from "./rhythm.ts";

describe("rhythmInWords", () => {
  it.each([
    ["30 2 * * *", "Every day at 02:30"],
    ["0 9 * * 1-5", "Monday to Friday at 09:00"],
    ["*/5 * * * *", "*/5 * * * *"],
    ["@daily", "@daily"],
  ])("says %s as %s", (schedule, words) => {
    expect(inEnglish(() => rhythmInWords(schedule))).toBe(words);
  });
});

describe("the rhythm of a heartbeat in the form", () => {
  it.each([
    [undefined, { rhythm: "daily", rhythm_at: "02:30" }],
    [null, { rhythm: "interval", rhythm_at: "" }],
    ["5 3 * * *", { rhythm: "daily", rhythm_at: "03:05" }],
    ["30 14 * * 1-5", { rhythm: "weekdays", rhythm_at: "14:30" }],
    ["0 0 1 * *", { rhythm: "monthly", rhythm_at: "00:00" }],
    ["*/5 * * * *", { rhythm: "cron", rhythm_at: "" }],
  ])("of the stored schedule %j is shown", (schedule, values) => {
    expect(rhythmValues(schedule)).toEqual(values);
  });

  it.each([
    ["a time of day becomes a schedule", { rhythm: "daily", rhythm_at: "3:05" }, { schedule: "5 3 * * *" }],
    ["without a time, that of the form counts", { rhythm: "weekly", rhythm_at: null }, { schedule: "30 2 * * 1" }],
    ["a typed interval is meant", { rhythm: "daily", rhythm_at: "02:30", interval: 300 }, { interval: 300 }],
    ["a typed schedule is meant", { rhythm: "daily", schedule: "@hourly" }, { schedule: "@hourly" }],
    ["an interval ends the schedule", { rhythm: "interval", rhythm_at: null }, { schedule: null }],
    ["a cron schedule that is missing is refused", { rhythm: "cron" }, { schedule: "missing" }],
    ["a time that is none is refused as a schedule", { rhythm: "daily", rhythm_at: "25:00" }, { schedule: "25:00" }],
    ["other fields stay", { name: "A" }, { name: "A" }],
  ])("%s", (_name, body, read) => {
    expect(readRhythm(body, true)).toEqual(read);
  });
});
