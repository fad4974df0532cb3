import { describe, expect, it } from "vitest";
import { nextTime } from "./cron.ts";

const rows: [name: string, schedule: string, timezone: string, after: string, next: string | null][] = [
  ["every ten minutes", "*/10 * * * *", "UTC", "2026-03-01T00:00:00.001Z", "2026-03-01T00:10:00.000Z"],
  ["not the instant itself", "0 0 * * *", "UTC", "2026-03-01T00:00:00.000Z", "2026-03-02T00:00:00.000Z"],
  ["the minute an instant before", "0 0 * * *", "UTC", "2026-02-28T23:59:59.999Z", "2026-03-01T00:00:00.000Z"],
  ["the wall clock of its zone", "30 9 * * 1", "Asia/Kathmandu", "2026-03-01T00:00:00Z", "2026-03-02T03:45:00.000Z"],
  ["summer by the zone's rules", "0 3 * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", "2026-03-29T01:00:00.000Z"],
  ["leap days", "0 0 29 2 *", "UTC", "2026-03-01T00:00:00Z", "2028-02-29T00:00:00.000Z"],
];

describe("the next time of a schedule", () => {
  it.each(rows)("follows %s", (_name, schedule, timezone, after, next) => {
    const found = nextTime({ schedule, timezone }, Date.parse(after));
    expect(found === null ? null : new Date(found).toISOString()).toBe(next);
  });
});
