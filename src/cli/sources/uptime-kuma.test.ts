import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { KUMA_HOOK, KUMA_TYPES, writeUptimeKuma } from "../../../test/support/other-tools.ts";
import { WebhookCreate } from "../../contract/webhook.ts";
import { notifierOf } from "../../notifiers/registry.ts";
import { ALERTMANAGER_CHANNELS } from "./alertmanager.ts";
import { GATUS_CHANNELS } from "./gatus-alerting.ts";
import { localFile } from "./local-file.ts";
import { importUptimeKuma } from "./uptime-kuma.ts";
import { KUMA_CHANNELS } from "./uptime-kuma-channels.ts";

const dir = mkdtempSync(join(tmpdir(), "vigil-import-"));
afterAll(() => rmSync(dir, { recursive: true }));

describe.each(["1.23", "2.x"] as const)("a database of Uptime Kuma %s", (version) => {
  const file = join(dir, version);
  writeUptimeKuma(file, version);
  const { manifest, remarks } = importUptimeKuma(localFile(file));
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
      http_headers: {
        "Content-Type": "application/json",
        "X-Probe": "1",
        Authorization: `Basic ${btoa("me:pw")}`,
      },
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
    expect(manifest.webhooks.ops).toEqual({
      name: "Ops",
      provider: "generic",
      url: "https://hook.example/kuma",
      monitors: ["shop", "search"],
    });
    expect(manifest.webhooks.phone).toMatchObject({
      provider: "pushover",
      config: { token: "azGDORePK8gMaC0QOYAMyEEuzJnyUi", user: "uQiRzpo4DXghDmr9QzzfQu27cmVRsG" },
    });
  });

  it("says of everything else that it does not come, or not as it was, and why", () => {
    expect(remarks.map(({ subject, about, reason }) => `${about} ${subject}: ${reason}`).sort()).toEqual([
      expect.stringMatching(/^changes monitor "Mail port": interval is 10 s here/),
      expect.stringMatching(/^changes monitor "Shop": gives up after 30 s/),
      expect.stringMatching(/^changes notification "Ops": its body is that of a webhook/),
      expect.stringMatching(/^changes notification "Ops": monitors that are added later/),
      expect.stringMatching(/^changes notification "Phone": no monitor that comes uses it/),
      expect.stringMatching(/^stays maintenance "Night work"/),
      expect.stringMatching(/^stays monitor "Gateway": ping needs an agent/),
      expect.stringMatching(/^stays monitor "Queue": mqtt needs an agent/),
      expect.stringMatching(/^stays notification "Desk": channels of type lunasea/),
    ]);
  });
});

describe("a status page of Uptime Kuma", () => {
  const file = join(dir, "pages");
  const monitors = ["First", "Second", "Third"].map((name, n) => {
    return { id: n + 1, name, type: "http", url: `https://${n}.example` };
  });
  const extra = `ALTER TABLE status_page ADD COLUMN search_engine_index BOOLEAN DEFAULT 1;
    ALTER TABLE status_page ADD COLUMN show_tags BOOLEAN DEFAULT 0;
    UPDATE status_page SET search_engine_index = 0, show_tags = 1;
    INSERT INTO "group" VALUES (2, 'Above', 0, 1);
    DELETE FROM monitor_group;
    INSERT INTO monitor_group VALUES (1, 1, 1, 2), (2, 2, 1, 1), (3, 3, 2, 1);
    DELETE FROM notification; DELETE FROM maintenance`;
  writeUptimeKuma(file, "2.x", { monitors, extra });
  const { manifest, remarks } = importUptimeKuma(localFile(file));

  it("keeps the order of its groups and monitors, which is that in which they are made", () => {
    expect(Object.keys(manifest.groups)).toEqual(["kuma-page.above", "kuma-page.services"]);
    expect(Object.keys(manifest.monitors)).toEqual(["third", "second", "first"]);
  });

  it("says that search engines find it here, and that it shows no tags", () => {
    expect(remarks.map(({ subject, reason }) => `${subject}: ${reason}`)).toEqual([
      expect.stringMatching(/^status page "kuma-page": .*search engines/),
      expect.stringMatching(/^status page "kuma-page": .*tags/),
    ]);
  });
});

describe("the types of monitors of Uptime Kuma", () => {
  const file = join(dir, "types");
  const extra = `INSERT INTO notification VALUES (4, 'Own', 1, 0, '${KUMA_HOOK}')`;
  writeUptimeKuma(file, "2.x", { monitors: KUMA_TYPES, extra });
  const AGENT = "0190c0de-0000-7000-8000-000000000001";
  const { manifest, remarks } = importUptimeKuma(localFile(file), { agent: AGENT });
  const { monitors } = manifest;
  const remarksOf = (subject: string) => remarks.filter((each) => each.subject === subject).map(({ reason }) => reason);

  it("keep groups in groups apart, because a composite holds none", () => {
    expect([monitors.all?.children, monitors.inner?.children]).toEqual([["shallow"], ["deep"]]);
    expect(remarksOf('monitor "Inner"')).toEqual([expect.stringContaining("stands by itself")]);
  });

  it("ask for the name of an address as name servers know it, at the port of the server", () => {
    expect(monitors.reverse).toMatchObject({ target: "7.2.0.192.in-addr.arpa", dns_record_type: "PTR" });
    expect(monitors.resolver).toMatchObject({
      dns_server: "9.9.9.9:5353",
      dns_expected: ["192.0.2.1", "192.0.2.2"],
      dns_match_type: "any",
    });
  });

  it("keep the password of MySQL, and say that no query is sent", () => {
    expect(monitors.orders?.target).toBe("mysql://app:p%40ss@db.example:3306/shop");
    expect(remarksOf('monitor "Orders"')).toEqual([expect.stringContaining("its query")]);
  });

  it("send a body with its type", () => {
    expect(monitors.form).toMatchObject({ http_body: "a=1", http_body_type: "form" });
  });

  it("run on an agent where the edge cannot", () => {
    expect(monitors.broker).toMatchObject({ target: "mqtts://me:pw@queue.example:8883", mqtt_topic: "alive" });
    expect(monitors.switch).toMatchObject({ target: "public@192.0.2.9:161", snmp_operator: "gt", snmp_value: "5" });
    expect(monitors.rabbit).toMatchObject({ target: "http://me:pw@rabbit-1.example:15672/" });
    expect(monitors.stream).toMatchObject({
      target: "kafkas://me:pw@k1.example:9092,kafkas://k2.example:9092",
      components: ["alive"],
      kafka_sasl_mechanism: "scram-sha-256",
    });
    for (const key of ["broker", "switch", "rabbit", "stream"]) expect(monitors[key]?.agent_id).toBe(AGENT);
    expect(monitors.post).toMatchObject({ type: "smtp", target: "mail.example:587", tls_mode: "starttls" });
    expect(monitors.blocks).toMatchObject({ type: "game_server", game_type: "minecraft" });
  });

  it("name what of them does not come", () => {
    expect(remarksOf('monitor "Broker"')).toEqual([expect.stringContaining('the message "yes"')]);
    expect(remarksOf('monitor "Rabbit"')).toEqual([expect.stringContaining("rabbit-2.example")]);
    expect(remarksOf('monitor "Guarded"')).toEqual([
      "its authentication by mtls",
      "its proxy",
      expect.stringContaining("tls_cert"),
    ]);
  });

  it("keep body and headers of a webhook", () => {
    expect(manifest.webhooks.own).toEqual({
      name: "Own",
      provider: "template",
      is_active: false,
      url: "https://hook.example/own",
      config: {
        method: "POST",
        headers: { "X-Key": "k" },
        body: '{"text":"{{text}}","who":"{{monitor.name}}"}',
      },
    });
  });
});

describe("notifications of Uptime Kuma that say where by a key", () => {
  const file = join(dir, "keys");
  const configs = [
    { type: "Opsgenie", opsgenieApiKey: "0123456789abcdef", opsgenieRegion: "eu" },
    { type: "WeCom", weComBotKey: "a b" },
    {
      type: "Splunk",
      splunkRestURL: "https://alert.victorops.com/integrations/generic/20131114/alert/abcdef12-34/ops",
    },
    { type: "Splunk", splunkRestURL: "https://splunk.example/" },
    { type: "apprise", appriseURL: "discord://123456/abcDEF" },
  ];
  const rows = configs.map((config, n) => `(${n + 10}, '${config.type} ${n}', 1, 0, '${JSON.stringify(config)}')`);
  writeUptimeKuma(file, "2.x", {
    extra: `DELETE FROM notification; INSERT INTO notification VALUES ${rows.join(", ")}`,
  });
  const { manifest, remarks } = importUptimeKuma(localFile(file));

  it("become channels that the service accepts, or are named", () => {
    expect(manifest.webhooks).toMatchObject({
      "opsgenie-0": {
        provider: "jira_service_management",
        url: "https://api.eu.opsgenie.com/v2/alerts",
        config: { api_key: "0123456789abcdef" },
      },
      "wecom-1": { provider: "wecom", url: "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=a%20b" },
      "splunk-2": {
        provider: "splunk_on_call",
        url: "https://alert.victorops.com/integrations/generic/20131114/alert",
        config: { api_key: "abcdef12-34", routing_key: "ops" },
      },
      "apprise-4": { provider: "discord", url: "https://discord.com/api/webhooks/123456/abcDEF" },
    });
    expect(Object.keys(manifest.webhooks)).toHaveLength(4);
    for (const webhook of Object.values(manifest.webhooks))
      expect(WebhookCreate.safeParse(webhook).error).toBeUndefined();
    expect(remarks).toContainEqual(expect.objectContaining({ subject: 'notification "Splunk 3"', about: "stays" }));
  });
});

describe("a file that is no database of Uptime Kuma", () => {
  it("is refused in one sentence", () => {
    const file = join(dir, "other");
    writeFileSync(file, "not a database at all, but long enough to look like one to somebody in a hurry");
    expect(() => importUptimeKuma(localFile(file))).toThrow(/is no database of Uptime Kuma/);
    expect(() => importUptimeKuma(localFile(join(dir, "missing")))).toThrow(/there is no file/);
  });
});

describe("channels of other tools", () => {
  it("name fields that their providers declare", () => {
    for (const { provider, fields } of [...KUMA_CHANNELS, ...GATUS_CHANNELS, ...ALERTMANAGER_CHANNELS]) {
      const names = Object.keys(fields);
      const declared = notifierOf(provider).fields.map(({ name }) =>
        name === "url" || name === "secret" ? name : `config.${name}`,
      );
      expect([provider, names.filter((name) => !declared.includes(name))]).toEqual([provider, []]);
    }
  });
});
