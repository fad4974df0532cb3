import { describe, expect, it } from "vitest";
import { HEALTHCHECKS } from "../../../test/support/other-tools.ts";
import { importHealthchecks } from "./healthchecks.ts";
import { cronOf } from "./on-calendar.ts";

describe("checks of Healthchecks", () => {
  const { manifest, remarks } = importHealthchecks(HEALTHCHECKS);

  it("become heartbeats that are due when they were, at the addresses that senders have", () => {
    expect(manifest.monitors).toEqual({
      "nightly-dump": {
        name: "Nightly dump",
        type: "heartbeat",
        schedule: "0 3 * * *",
        timezone: "Europe/Riga",
        grace_seconds: 600,
        push_token: "31365bce-8da9-4729-8ff3-aaa71d56b712",
        tags: ["prod", "db"],
      },
      sync: {
        name: "Sync",
        type: "heartbeat",
        interval: 900,
        grace_seconds: 60,
        push_token: "803f680d-e89b-492b-82ef-2be7b774a92d",
        paused: true,
      },
      report: {
        name: "Report",
        type: "heartbeat",
        schedule: "0 9 * * 1-5",
        timezone: "UTC",
        grace_seconds: 3600,
        push_token: "662ebe36-ecab-48db-afe3-e20029cb71e6",
      },
    });
  });

  it("name what does not come, or not as it was", () => {
    expect(remarks.map(({ subject, about, reason }) => `${about} ${subject}: ${reason}`)).toEqual([
      expect.stringContaining('changes check "Sync": its integrations'),
      expect.stringContaining('changes check "Sync": a ping ends its pause no more'),
      expect.stringContaining('stays check "Sync": only POST counts'),
      expect.stringContaining('stays check "Sync": its filters'),
      expect.stringContaining('changes check "Report": its schedule "Mon..Fri *-*-* 09:00:00" is "0 9 * * 1-5" here'),
      expect.stringMatching(/stays check "Sync": not taken: .*desc/),
    ]);
  });

  it("are refused where there are none", () => {
    expect(() => importHealthchecks('{"checks":[]}')).toThrow("holds no checks");
    expect(() => importHealthchecks("[[[")).toThrow("cannot be read");
  });
});

describe("a schedule by OnCalendar", () => {
  it.each([
    ["0 3 * * *", "0 3 * * *"],
    ["daily", "0 0 * * *"],
    ["*:0/15", "*/15 * * * *"],
    ["*-*-1,15 4:30", "30 4 1,15 * *"],
    ["Sat..Mon 10:00", "0 10 * * 6,0,1"],
    ["Monday,Wednesday *-*-* 8..18:00:00", "0 8-18 * * 1,3"],
    ["*-06-* 00:00", "0 0 * 6 *"],
  ])("%s is %s", (schedule, cron) => {
    expect(cronOf(schedule)).toBe(cron);
  });

  it.each(["2026-*-* 4:00", "*:*:30", "Fri *-*~1 4:00", "09:00 Europe/Riga", "9:00\n10:00"])("%s is none", (text) => {
    expect(cronOf(text)).toBeNull();
  });
});
