import { describe, expect, it } from "vitest";
import { computeIncidentStats, type IncidentTimes, listMonthsUntil } from "./incident-stats.ts";

const at = (text: string) => Date.parse(text);
const incident = (started: string, fields: Partial<IncidentTimes> = {}): IncidentTimes => ({
  severity: "major",
  started_at: at(started),
  acknowledged_at: null,
  resolved_at: null,
  ...fields,
});

describe("months", () => {
  it.each([
    ["across a year", "2026-01-15T00:00:00Z", "UTC", ["2025-11", "2025-12", "2026-01"]],
    ["of the zone, not of UTC", "2026-03-31T23:30:00Z", "Europe/Berlin", ["2026-02", "2026-03", "2026-04"]],
    ["on the last day of a long month", "2026-03-31T12:00:00Z", "UTC", ["2026-01", "2026-02", "2026-03"]],
  ])("are listed %s", (_name, now, zone, months) => {
    expect(listMonthsUntil(at(now), zone, 3)).toEqual(months);
  });
});

describe("figures", () => {
  it("are means over what was acknowledged and resolved, by month and severity", () => {
    const stats = computeIncidentStats(
      [
        incident("2026-10-31T23:30:00Z", { severity: "minor" }),
        incident("2026-11-02T00:00:00Z", {
          acknowledged_at: at("2026-11-02T00:01:00Z"),
          resolved_at: at("2026-11-02T00:10:00Z"),
        }),
        incident("2026-11-03T00:00:00Z", { resolved_at: at("2026-11-03T00:20:00Z") }),
        incident("2026-08-01T00:00:00Z"),
      ],
      { months: ["2026-10", "2026-11"], timezone: "Europe/Berlin" },
    );
    const none = { total: 0, open: 0, mtta_seconds: null, mttr_seconds: null };
    const minor = { ...none, total: 1, open: 1 };
    const major = { total: 2, open: 0, mtta_seconds: 60, mttr_seconds: 900 };
    const all = { total: 3, open: 1, mtta_seconds: 60, mttr_seconds: 900 };
    const by_severity = { minor, major, critical: none };
    expect(stats).toEqual({
      ...all,
      by_severity,
      by_month: [
        { month: "2026-10", ...none, by_severity: { minor: none, major: none, critical: none } },
        { month: "2026-11", ...all, by_severity },
      ],
    });
  });

  it("never count a time as negative that was recorded before the start was put right", () => {
    const early = incident("2026-11-02T00:10:00Z", { acknowledged_at: at("2026-11-02T00:00:00Z") });
    expect(computeIncidentStats([early], { months: ["2026-11"], timezone: "UTC" }).mtta_seconds).toBe(0);
  });
});
