import { describe, expect, it } from "vitest";
import { UPTIMEROBOT, UPTIMEROBOT_2 } from "../../../test/support/other-tools.ts";
import { importUptimeRobot } from "./uptimerobot.ts";

const said = ({ remarks }: ReturnType<typeof importUptimeRobot>) =>
  remarks.map(({ subject, about, reason }) => `${about} ${subject}: ${reason}`);

describe("monitors of UptimeRobot", () => {
  it("come from its third API with what they send and expect", () => {
    const { manifest } = importUptimeRobot(UPTIMEROBOT);
    expect(manifest.monitors.shop).toEqual({
      name: "Shop",
      type: "https",
      target: "https://shop.example/",
      interval: 300,
      timeout_seconds: 30,
      latency_threshold_ms: 2000,
      http_headers: { Authorization: `Basic ${btoa("me:pw")}`, "X-Probe": "1" },
      expected_statuses: ["200-299", "401"],
      expected_body: "welcome",
      tags: ["prod"],
    });
    expect(manifest.monitors.mail).toMatchObject({ type: "tcp", target: "mail.example:993", paused: true });
    expect(manifest.monitors.job).toEqual({ name: "Job", type: "heartbeat", interval: 3600, grace_seconds: 60 });
    expect(manifest.monitors["zone-mx"]).toMatchObject({ dns_record_type: "MX", dns_expected: ["10 mail.example"] });
    expect(manifest.monitors.orders).toMatchObject({
      http_method: "POST",
      http_body: '{"a":1}',
      http_headers: { "Content-Type": "application/json" },
      json_assertions: [{ path: "$.ok", operator: "eq", value: true }],
    });
  });

  it("name what does not come, or not as it was", () => {
    expect(said(importUptimeRobot(UPTIMEROBOT))).toEqual([
      expect.stringContaining('changes monitor "Shop": its alert contacts'),
      expect.stringContaining('stays monitor "Shop": reminders of its domain'),
      expect.stringContaining('stays monitor "Job": the address that its senders have'),
      expect.stringContaining('stays monitor "Orders": its assertion $.list is_null'),
    ]);
  });

  it("come from its second API, and say that a page of them is not all", () => {
    const imported = importUptimeRobot(UPTIMEROBOT_2);
    expect(imported.manifest.monitors.search).toEqual({
      name: "Search",
      type: "http",
      target: "http://search.example",
      interval: 900,
      expected_body: "sold out",
      expected_body_match_type: "not_contains",
      paused: true,
    });
    expect(said(imported)).toEqual([expect.stringContaining("it holds 1 of 51 monitors")]);
  });

  it("are refused where there are none", () => {
    expect(() => importUptimeRobot('{"stat":"fail","error":{"type":"invalid_parameter"}}')).toThrow(
      "holds no monitors",
    );
  });
});
