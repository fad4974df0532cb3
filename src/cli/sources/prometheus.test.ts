import { describe, expect, it } from "vitest";
import { ALERTMANAGER, BLACKBOX } from "../../../test/support/other-tools.ts";
import { importAlertmanager } from "./alertmanager.ts";
import { importBlackboxExporter } from "./blackbox-exporter.ts";
import type { Imported } from "./draft.ts";

const said = ({ remarks }: Imported) => remarks.map(({ subject, reason }) => `${subject}: ${reason}`);

describe("targets of blackbox_exporter", () => {
  const imported = importBlackboxExporter(BLACKBOX);

  it("become monitors that do what their module does", () => {
    expect(imported.manifest.monitors).toEqual({
      "web.https:-shop.example": {
        name: "https://shop.example",
        type: "https",
        target: "https://shop.example",
        interval: 30,
        timeout_seconds: 5,
        http_method: "POST",
        http_body: '{"a":1}',
        http_headers: { Authorization: `Basic ${btoa("me:pw")}`, "Content-Type": "application/json" },
        expected_statuses: [200, 204],
        expected_body: "ok|fine",
        expected_body_match_type: "regex",
        follow_redirects: false,
        verify_ssl: false,
        tags: ["web", "team:web"],
      },
      "web.plain.example": expect.objectContaining({ type: "http", target: "http://plain.example" }),
      "names.9.9.9.9": {
        name: "9.9.9.9",
        type: "dns",
        target: "shop.example",
        dns_record_type: "MX",
        dns_server: "9.9.9.9",
        interval: 30,
        tags: ["names"],
      },
    });
  });

  it("name what does not come", () => {
    expect(said(imported)).toEqual([
      expect.stringContaining('job "node": it probes nothing'),
      expect.stringContaining('module "spare": no job'),
      'module "http_post": not taken: http.preferred_ip_protocol',
      'module "dns_shop": not taken: dns.valid_rcodes[0]',
    ]);
  });

  it("need both files", () => {
    expect(() => importBlackboxExporter("scrape_configs: []")).toThrow("join the two");
  });
});

describe("receivers of Alertmanager", () => {
  const imported = importAlertmanager(ALERTMANAGER);

  it("become channels", () => {
    expect(imported.manifest.webhooks).toEqual({
      team: { name: "team", provider: "slack", url: "https://hooks.slack.example/x" },
      "team-2": { name: "team", provider: "pagerduty", secret: "abc" },
      "team-3": { name: "team", provider: "email", url: "mailto:ops@shop.example" },
      hook: { name: "hook", provider: "generic", url: "https://hook.example/a" },
    });
  });

  it("name what does not come", () => {
    const lines = said(imported);
    for (const part of [
      "route:",
      "wechat: has to be",
      "inhibit_rules[0]",
      "channel",
      "max_alerts",
      "resolve_timeout",
    ]) {
      expect(lines.join("\n")).toContain(part);
    }
  });
});
