import { describe, expect, it } from "vitest";
import { heartbeatType } from "./heartbeat.ts";

describe("the fields of a heartbeat", () => {
  it.each([
    ["nothing: the interval, a tenth of it as grace", {}, { expected_interval: 600, grace_seconds: 60 }],
    ["an interval of its own", { expected_interval: 86_400 }, { expected_interval: 86_400, grace_seconds: 8640 }],
    ["a short interval: at least 5 s of grace", { expected_interval: 10 }, { expected_interval: 10, grace_seconds: 5 }],
    ["no grace at all", { grace_seconds: 0 }, { expected_interval: 600, grace_seconds: 0 }],
  ])("with %s", (_name, fields, read) => {
    expect(heartbeatType.options.parse({ interval: 600, ...fields })).toEqual({
      schedule: null,
      timezone: null,
      degraded_timeout_seconds: null,
      ...read,
    });
  });

  it("prefer a schedule to an interval, in UTC unless a zone is named", () => {
    const fields = { interval: 600, expected_interval: 60, schedule: "0 3 * * MON" };
    expect(heartbeatType.options.parse(fields)).toMatchObject({
      expected_interval: null,
      timezone: "UTC",
      grace_seconds: null,
    });
    expect(heartbeatType.options.parse({ ...fields, timezone: "Asia/Tokyo" })).toMatchObject({
      timezone: "Asia/Tokyo",
    });
  });

  it.each(["*/15 * * * *", "0 0 1 JAN *", "5,35 9-17 * * 1-5", "0 0 29 2 *"])("take the schedule %s", (schedule) => {
    expect(heartbeatType.options.safeParse({ interval: 60, schedule }).success).toBe(true);
  });

  it.each(["@hourly", "@daily", "@weekly", "@monthly", "@yearly", "@Daily"])("take the nickname %s", (schedule) => {
    expect(heartbeatType.options.safeParse({ interval: 60, schedule }).success).toBe(true);
  });

  it.each([
    ["@reboot", /^schedule must be a cron expression of five fields, such as 0 3 \* \* \*, or one of @hourly, @daily/],
    ["60 * * * *", /^schedule must be a cron expression of five fields/],
    ["0 0 31 2 *", /^schedule must name a date that exists, not one such as 31 February$/],
  ])("refuse %s in a sentence that says what would do", (schedule, sentence) => {
    const { error } = heartbeatType.options.safeParse({ interval: 60, schedule });
    expect(error?.issues).toMatchObject([{ path: ["schedule"], message: expect.stringMatching(sentence) }]);
  });

  it.each(["+02:00", "Mars/Olympus"])("refuse %s, which is no time zone of the calendar", (timezone) => {
    const { error } = heartbeatType.options.safeParse({ interval: 60, schedule: "0 4 * * *", timezone });
    expect(error?.issues).toMatchObject([{ path: ["timezone"], message: expect.stringContaining("IANA") }]);
  });
});
