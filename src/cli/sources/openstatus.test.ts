import { describe, expect, it } from "vitest";
import { OPENSTATUS_YAML, openStatus } from "../../../test/support/status-tools.ts";
import { importOpenStatus } from "./openstatus.ts";

const AGENT = "0190c0de-0000-7000-8000-000000000001";
const said = ({ remarks }: ReturnType<typeof importOpenStatus>, about: string) =>
  remarks.filter(({ subject }) => subject === about).map(({ reason }) => reason);

describe("the API of OpenStatus", () => {
  const imported = importOpenStatus(openStatus(300), { agent: AGENT });
  const { monitors, status_pages } = imported.manifest;

  it("gives monitors with what they send and expect", () => {
    expect(Object.keys(monitors)).toHaveLength(300);
    expect(monitors["service-0"]).toEqual({
      name: "service-0",
      type: "https",
      target: "https://service-0.example",
      interval: 30,
      timeout_seconds: 30,
      latency_threshold_ms: 2000,
      failure_threshold: 4,
      expected_statuses: ["200-399"],
      expected_headers: [{ name: "Content-Type", operator: "contains", value: "json" }],
      expected_body: "error",
      expected_body_match_type: "not_contains",
      status_page: "shop-open",
    });
    expect(monitors["service-1"]).toMatchObject({
      http_method: "POST",
      http_body: '{"a":1}',
      http_headers: { Authorization: "Bearer abc" },
      follow_redirects: false,
      expected_statuses: ["200-299"],
    });
    expect(monitors["service-3"]).toMatchObject({ type: "tcp", target: "db.example:5432" });
    expect(monitors["service-4"]).toMatchObject({ dns_record_type: "MX", dns_expected: ["10 mail.example"] });
    expect(monitors["service-5"]).toMatchObject({ type: "ping", paused: true, agent_id: AGENT });
  });

  it("gives pages in their order, and keeps those with a password from the public", () => {
    expect(status_pages["shop-open"]).toMatchObject({ name: "Shop", favicon_url: "https://shop.example/icon.png" });
    expect(status_pages.team).toEqual({ name: "Team", is_public: false });
    expect(Object.keys(monitors)[0]).toBe("service-299");
  });

  it("names what does not come", () => {
    expect(said(imported, 'monitor "service-0"')).toEqual([
      'its assertion textBody eq "second"',
      'visitors read "service-0", not "Service 0"',
      "gives up after 30 s here",
      "not taken: description",
    ]);
    expect(said(imported, 'monitor "service-4"')).toContain('its assertion dnsRecord TXT contains "v=spf1"');
    expect(said(imported, 'status page "Team"')).toEqual([
      expect.stringContaining("not public until you set one"),
      'monitor "service-0": a monitor is on one page here',
    ]);
  });
});

describe("openstatus.yaml", () => {
  const imported = importOpenStatus(OPENSTATUS_YAML);

  it("becomes monitors", () => {
    expect(imported.manifest.monitors).toEqual({
      front: {
        name: "Front",
        type: "https",
        target: "https://shop.example",
        interval: 600,
        failure_threshold: 3,
        http_headers: { "X-Probe": "1" },
        expected_statuses: [200],
      },
      database: { name: "Database", type: "tcp", target: "db.example:5432", interval: 30, paused: true },
    });
  });

  it("names what has no place", () => {
    expect(said(imported, 'monitor "Database"')).toEqual([
      "not taken: openTelemetry.endpoint, openTelemetry.headers.key",
    ]);
    expect(() => importOpenStatus("tests:\n  ids: [1, 2]")).toThrow("has no monitors");
  });
});
