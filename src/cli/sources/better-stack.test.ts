import { describe, expect, it } from "vitest";
import { betterStack } from "../../../test/support/status-tools.ts";
import { importBetterStack } from "./better-stack.ts";

const AGENT = "0190c0de-0000-7000-8000-000000000001";
const { manifest, remarks } = importBetterStack(betterStack(360), { agent: AGENT });
const { monitors } = manifest;
const said = (subject: string) => remarks.filter((each) => each.subject === subject).map(({ reason }) => reason);

describe("an account of Better Stack", () => {
  it("brings each monitor that something here can check", () => {
    // One in twelve is a script for a browser.
    expect(Object.keys(monitors)).toHaveLength(330 + 90);
    expect(monitors["service-2"]).toEqual({
      name: "Service 2",
      type: "https",
      target: "https://service-2.example/health",
      interval: 180,
      timeout_seconds: 30,
      http_method: "POST",
      http_body: '{"a":1}',
      expected_statuses: ["200-299"],
      expected_body: "welcome",
      follow_redirects: false,
      failure_threshold: 1,
      recovery_threshold: 1,
      status_page: "shop",
      group: "shop.web",
    });
    expect(monitors["service-3"]).toMatchObject({
      expected_body_match_type: "not_contains",
      http_headers: { Authorization: `Basic ${btoa("me:pw")}` },
      tags: ["Backend"],
    });
    expect(monitors["service-1"]?.expected_statuses).toEqual([200, 401]);
    expect(monitors["service-5"]).toMatchObject({ type: "tcp", target: "db.example:5432", timeout_seconds: 1 });
    expect(monitors["service-10"]).toMatchObject({
      type: "dns",
      target: "shop.example",
      dns_server: "9.9.9.9",
      dns_expected: ["192.0.2.7"],
    });
    expect(monitors["job-1"]).toEqual({ name: "Job 1", type: "heartbeat", interval: 3600, grace_seconds: 300 });
  });

  it("brings the page with its sections and its order", () => {
    expect(manifest.status_pages.shop).toEqual({
      name: "Shop",
      logo_url: "https://shop.example/logo.png",
      footer_links: [{ label: "Shop", url: "https://shop.example" }],
    });
    expect(Object.keys(manifest.groups)).toEqual(["shop.web", "shop.jobs"]);
    const shown = Object.keys(monitors).filter((key) => monitors[key]?.status_page === "shop");
    expect([shown[0], shown.at(-1)]).toEqual(["service-358", "service-0"]);
  });

  it("names what does not come, once for all or one by one", () => {
    expect(said("monitors")).toEqual([expect.stringContaining("whom each tells"), expect.stringContaining("regions")]);
    expect(said('monitor "Service 7"')).toContain("its ports after the first: 587");
    expect(said('monitor "Service 11"')).toEqual(["nothing here does what its monitors of type playwright do"]);
    expect(said('heartbeat "Job 3"')).toEqual([
      expect.stringContaining("give them the new one"),
      "is due every 86400 s here",
    ]);
    expect(said('status page "Shop"')).toEqual([
      expect.stringContaining("status.shop.example"),
      "that search engines leave it out",
      'its time zone "Berlin": choose one',
      expect.stringContaining("mailto:help@shop.example"),
      "not taken: announcement, layout",
    ]);
  });

  it("is refused where the answer is an error", () => {
    expect(() => importBetterStack('{"errors":"Invalid Team API token"}')).toThrow("holds no monitors");
  });
});
