import { describe, expect, it } from "vitest";
import { EVENT_NAMES, EventFilterName, isCustomEventName, parseEvent } from "./events.ts";

describe("a name in a filter", () => {
  it.each<readonly [string, boolean]>([
    ...EVENT_NAMES.map((name) => [name, true] as const),
    ["maintenance.ended", true],
    ["deploy.done", true],
    ["monitors", true],
    ["monitor.dwon", false],
    ["monitor.", false],
    ["incident.deleted", false],
    ["maintenance.scheduled", false],
    ["agent.gone", false],
    ["oncall.changed", false],
    ["", false],
    ["x".repeat(100), true],
    ["x".repeat(101), false],
  ])("%s: %s", (name, isAccepted) => {
    expect(EventFilterName.safeParse(name).success).toBe(isAccepted);
  });
});

describe("a custom event", () => {
  it.each([
    ["deploy", true],
    ["monitor.own", false],
    ["test_event", false],
    ["oncall.x", false],
  ])("%s: %s", (name, isCustom) => {
    expect(isCustomEventName(name)).toBe(isCustom);
  });
});

describe("a stored event", () => {
  const stored = {
    id: "e",
    owner_id: "o",
    status_page_id: null,
    monitor_id: null,
    classification: "public" as const,
    created_at: 1,
  };

  it("has the data that its name promises, or is refused", () => {
    expect(() => parseEvent({ ...stored, name: "incident.created", data: { title: "x" } })).toThrow();
  });

  it("has any data where the name is a user's own", () => {
    expect(parseEvent({ ...stored, name: "deploy", data: { anything: [1] } }).data).toEqual({ anything: [1] });
  });

  it("keeps the members that older rows lack at their defaults", () => {
    const data = {
      monitor_id: "m",
      monitor_name: "Shop",
      status: "down",
      previous_status: "up",
      message: "x",
      latency: null,
      region: null,
      since: "2026-01-01T00:00:00.000Z",
    };
    expect(parseEvent({ ...stored, name: "monitor.down", data }).data).toEqual({
      ...data,
      locations_down: [],
      locations_total: 0,
      outage_id: null,
      incident_id: null,
      outage_started_at: null,
      duration_seconds: null,
      context: null,
    });
  });
});
