import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { GATUS, writeUptimeKuma } from "../../test/support/other-tools.ts";
import { notifierOf } from "../notifiers/registry.ts";
import { importGatus } from "./import-gatus.ts";
import { IMPORTED_FIELDS, importUptimeKuma } from "./import-uptime-kuma.ts";

const dir = mkdtempSync(join(tmpdir(), "vigil-import-"));
afterAll(() => rmSync(dir, { recursive: true }));

describe.each(["1.23", "2.x"] as const)("a database of Uptime Kuma %s", (version) => {
  const file = join(dir, version);
  writeUptimeKuma(file, version);
  const { manifest, left } = importUptimeKuma(file);
  const { monitors } = manifest;

  it("becomes monitors of the same meaning", () => {
    expect(monitors.shop).toEqual({
      name: "Shop",
      type: "https",
      target: "https://shop.example/",
      interval: 60,
      failure_threshold: 3,
      timeout_seconds: 30,
      tags: ["prod", "team:web"],
      status_page: "kuma-page",
      group: "kuma-page.services",
    });
    expect(monitors["shop-2"]).toMatchObject({
      http_method: "POST",
      http_body: '{"a":1}',
      verify_ssl: false,
      follow_redirects: false,
      expected_statuses: ["200-299", "401"],
      http_headers: { "X-Probe": "1", Authorization: `Basic ${btoa("me:pw")}` },
      invert: true,
    });
    expect(monitors.form).toMatchObject({ http_body: "user=ann\ncode=1 2", http_body_type: "form", redirects_max: 3 });
    expect(monitors.search).toMatchObject({ expected_body: "sold out", expected_body_match_type: "not_contains" });
    expect(monitors.stock).toMatchObject({ json_assertions: [{ path: "$.ok", operator: "eq", value: true }] });
    expect(monitors["mail-port"]).toMatchObject({ type: "tcp", target: "mail.example:993", interval: 10 });
    expect(monitors.names).toMatchObject({ type: "dns", dns_record_type: "MX", dns_server: "1.1.1.1" });
    expect(monitors.backup).toMatchObject({
      type: "heartbeat",
      interval: 86_400,
      push_token: "qk2pV0s7Zt9BdX4LmR1YwC8eHnF3aJ6u",
    });
    expect(monitors.backends).toMatchObject({ type: "composite", children: ["database", "cache"] });
    expect(monitors.cache).toMatchObject({ type: "redis", paused: true });
  });

  it("keeps pages and channels", () => {
    expect(manifest.status_pages).toEqual({ "kuma-page": { name: "All systems", description: "What we run" } });
    expect(manifest.groups).toEqual({ "kuma-page.services": { name: "Services", status_page: "kuma-page" } });
    expect(manifest.webhooks.ops).toMatchObject({ provider: "generic", url: "https://hook.example/kuma" });
    expect(manifest.webhooks.phone).toMatchObject({
      provider: "pushover",
      config: { token: "azGDORePK8gMaC0QOYAMyEEuzJnyUi", user: "uQiRzpo4DXghDmr9QzzfQu27cmVRsG" },
    });
  });

  it("says of everything else that it was not taken, and why", () => {
    expect(left.map(({ subject, reason }) => `${subject}: ${reason}`)).toEqual([
      expect.stringContaining('"Mail port": interval is 10 s here'),
      expect.stringContaining('"Gateway": ping needs an agent'),
      expect.stringContaining('"Queue": monitors of type mqtt'),
      expect.stringContaining('"Ops": it hears of all monitors'),
      expect.stringContaining('"Phone": it hears of all monitors'),
      expect.stringContaining('"Desk": channels of type lunasea'),
      expect.stringContaining('"Night work"'),
    ]);
  });
});

describe("a file that is no database of Uptime Kuma", () => {
  it("is refused in one sentence", () => {
    const file = join(dir, "other");
    writeFileSync(file, "not a database at all, but long enough to look like one to somebody in a hurry");
    expect(() => importUptimeKuma(file)).toThrow(/is no database of Uptime Kuma/);
    expect(() => importUptimeKuma(join(dir, "missing"))).toThrow(/there is no file/);
  });
});

describe("a configuration of Gatus", () => {
  const { manifest, left } = importGatus(GATUS);

  it("becomes monitors whose settings say what the conditions say", () => {
    expect(manifest.monitors).toEqual({
      "core.front-end": {
        name: "front-end",
        type: "https",
        target: "https://site.example/health",
        interval: 300,
        tags: ["core"],
        timeout_seconds: 5,
        certificate_days_min: 2,
        follow_redirects: false,
        failure_threshold: 5,
        recovery_threshold: 3,
        expected_statuses: [200],
        latency_threshold_ms: 150,
        json_assertions: [
          { path: "$.status", operator: "==", value: "UP" },
          { path: "$.items[0].count", operator: ">", value: 3 },
        ],
      },
      text: {
        name: "text",
        type: "http",
        target: "http://site.example/text",
        interval: 60,
        http_method: "POST",
        http_body: "{}",
        http_headers: { "Content-Type": "application/json" },
        expected_statuses: ["100-299"],
        expected_body: "welcome",
      },
      names: {
        name: "names",
        type: "dns",
        target: "site.example",
        interval: 60,
        dns_record_type: "A",
        dns_server: "8.8.8.8",
        dns_expected: ["192.0.2.7"],
      },
      port: { name: "port", type: "tcp", target: "site.example:5432", interval: 10, paused: true },
      certificate: { name: "certificate", type: "ssl", target: "site.example:443", interval: 60 },
      "core.job": { name: "job", type: "heartbeat", interval: 1800, push_token: "core_job/hot-potato", tags: ["core"] },
    });
  });

  it("says what was not taken, and why", () => {
    expect(left.map(({ subject, reason }) => `${subject}: ${reason}`)).toEqual([
      expect.stringContaining('"port": interval is 10 s here'),
      expect.stringContaining('"gateway": ping needs an agent'),
      expect.stringContaining("alerting: has to be set up anew"),
    ]);
  });

  it("leaves out a token that others could guess, and says so", () => {
    const { manifest, left } = importGatus("external-endpoints:\n  - { name: job, token: potato }");
    expect(manifest.monitors.job).toEqual({ name: "job", type: "heartbeat", interval: 86_400 });
    expect(left).toEqual([
      { subject: 'endpoint "job"', reason: expect.stringContaining("shorter than 16 characters") },
    ]);
  });

  it.each(["endpoints: 5", "endpoints: [{ url: x }]", "a: [", "- a"])("is refused when it is %j", (text) => {
    expect(() => importGatus(text)).toThrow();
  });
});

describe("notifications of Uptime Kuma", () => {
  it("name fields that their providers declare", () => {
    for (const { provider, names } of IMPORTED_FIELDS) {
      const declared = notifierOf(provider).fields.map(({ name }) =>
        name === "url" || name === "secret" ? name : `config.${name}`,
      );
      expect([provider, names.filter((name) => !declared.includes(name))]).toEqual([provider, []]);
    }
  });
});
