import { describe, expect, it } from "vitest";
import { statuspage } from "../../../test/support/status-tools.ts";
import { importStatuspage } from "./statuspage.ts";

const { manifest, history, remarks } = importStatuspage(statuspage(300));
const said = (subject: string) => remarks.filter((each) => each.subject === subject).map(({ reason }) => reason);

describe("a page of Statuspage", () => {
  it("brings its components in their groups and order, switched off until something checks them", () => {
    expect(manifest.status_pages["shop-status"]).toEqual({
      name: "Shop",
      description: "What we run",
      timezone: "Europe/Berlin",
    });
    expect(Object.keys(manifest.groups)).toEqual(["shop-status.api", "shop-status.web"]);
    expect(Object.keys(manifest.monitors)).toHaveLength(300);
    expect(Object.keys(manifest.monitors)[0]).toBe("component-299");
    expect(manifest.monitors["component-1"]).toEqual({
      name: "Component 1",
      type: "heartbeat",
      interval: 86_400,
      paused: true,
      status_page: "shop-status",
      group: "shop-status.api",
    });
    expect(said('component "Component 1"')).toEqual([
      "that it is shown only while it is not well",
      expect.stringContaining("nothing checks it there"),
    ]);
  });

  it("brings incidents that are over, with what was written then and when", () => {
    expect(history.incidents).toHaveLength(300);
    expect(history.incidents[2]).toEqual({
      title: "Slow answers 2",
      severity: "major",
      status_page: "shop-status",
      started_at: "2024-01-03T00:00:00.000Z",
      resolved_at: "2024-01-03T03:00:00.000Z",
      monitors: ["component-2"],
      description: expect.stringMatching(/^\*\*2024-01-03 00:00 UTC, investigating\*\*\n\nIt is investigating: café/),
    });
    expect(history.incidents[0]?.description).toContain("**2024-01-03 00:00 UTC, postmortem**\n\nA disk was full.");
    expect(said('incident "Still slow"')).toEqual([expect.stringContaining("it is not over")]);
  });

  it("brings maintenance, past and to come", () => {
    expect(history.maintenance).toHaveLength(75);
    expect(history.maintenance[1]).toMatchObject({
      key: "i10001",
      title: "Upgrade 1",
      start_time: "2024-01-05T04:00:00.000Z",
      end_time: "2024-01-05T06:00:00.000Z",
    });
  });

  it("takes over no subscriber, and names no address", () => {
    expect(said("subscribers by email")).toEqual([
      expect.stringMatching(/^150 \(1 of them quarantined there\): none is taken over and none is written to/),
    ]);
    expect(JSON.stringify({ manifest, history, remarks })).not.toContain("@customer.example");
  });

  it("names the settings of the page that have no counterpart", () => {
    expect(said('page "Shop"')).toEqual([
      expect.stringContaining("its domain status.shop.example"),
      expect.stringMatching(/^not taken: branding, support_url, hidden_from_search/),
    ]);
    expect(() => importStatuspage('{"error":"Could not authenticate"}')).toThrow("holds no page");
  });
});
