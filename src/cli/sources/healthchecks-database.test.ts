import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { WebhookCreate } from "../../contract/webhook.ts";
import { importHealthchecksFile } from "./healthchecks.ts";
import { localFile } from "./local-file.ts";

const dir = mkdtempSync(join(tmpdir(), "vigil-import-"));
afterAll(() => rmSync(dir, { recursive: true }));

const CHECK_COLUMNS =
  "id, name, slug, tags, code, desc, project_id, kind, timeout, grace, schedule, tz, filter_body, failure_kw, methods, manual_resume, status";
const SQLITE = `
  CREATE TABLE accounts_project (id INTEGER PRIMARY KEY, code char(32), name varchar(200), owner_id INTEGER, api_key varchar(128), ping_key varchar(128), badge_key varchar(150));
  INSERT INTO accounts_project VALUES (1, 'aa', 'Shop', 1, 'secret-api-key', 'pk-0123456789', 'b1'), (2, 'bb', 'Home', 1, '', NULL, 'b2');
  CREATE TABLE api_check (id INTEGER PRIMARY KEY, name varchar(100), slug varchar(100), tags varchar(500), code char(32), desc TEXT, project_id INTEGER, created datetime,
    kind varchar(10), timeout bigint, grace bigint, schedule varchar(100), tz varchar(36), filter_body bool, failure_kw varchar(200), methods varchar(30), manual_resume bool, n_pings INTEGER, status varchar(6));
  INSERT INTO api_check (${CHECK_COLUMNS}) VALUES
    (1, 'Nightly dump', 'nightly-dump', 'db prod', '31365bce8da947298ff3aaa71d56b712', '', 1, 'cron', 86400000000, 600000000, '0 3 * * *', 'Europe/Riga', 0, '', '', 0, 'up'),
    (2, 'Sync', 'sync', '', '803f680de89b492b82ef2be7b774a92d', 'Each quarter', 2, 'simple', 900000000, 60000000, '* * * * *', 'UTC', 1, 'error', 'POST', 1, 'paused');
  CREATE TABLE api_channel (id INTEGER PRIMARY KEY, name varchar(100), code char(32), project_id INTEGER, created datetime, kind varchar(20), value TEXT, email_verified bool, disabled bool, last_error varchar(200));
  INSERT INTO api_channel (id, name, kind, value, disabled) VALUES
    (1, 'Team', 'email', '{"value": "ops@shop.example", "up": true, "down": true}', 0),
    (2, 'Chat', 'slack', '{"ok": true, "team_name": "S", "incoming_webhook": {"channel": "#a", "url": "https://hooks.slack.example/x"}}', 0),
    (3, '', 'mattermost', 'https://chat.example/hooks/x', 1),
    (4, 'Hook', 'webhook', '{"method_down": "PUT", "url_down": "https://hook.example/$CODE", "headers_down": {"X-Key": "k"}, "body_down": "", "url_up": ""}', 0),
    (5, 'Duty', 'pd', '{"service_key": "0123456789abcdef0123456789abcdef", "account": "shop"}', 0),
    (6, 'Phone', 'ntfy', '{"topic": "shop-alerts", "url": "https://ntfy.sh", "priority": 5, "priority_up": 3, "token": ""}', 0),
    (7, 'Bot', 'telegram', '{"id": 5, "type": "group", "name": "Ops"}', 0);
  CREATE TABLE api_channel_checks (id INTEGER PRIMARY KEY, channel_id INTEGER, check_id INTEGER);
  INSERT INTO api_channel_checks VALUES (1, 1, 1), (2, 1, 2), (3, 2, 1), (4, 3, 1), (5, 4, 1), (6, 5, 1), (7, 6, 2);
  CREATE TABLE api_ping (id INTEGER PRIMARY KEY, owner_id INTEGER); INSERT INTO api_ping VALUES (1, 1);
  CREATE TABLE api_note (id INTEGER PRIMARY KEY); INSERT INTO api_note VALUES (1);
  CREATE TABLE auth_user (id INTEGER PRIMARY KEY, email TEXT); INSERT INTO auth_user VALUES (1, 'ann@shop.example')`;

function written(sql: string): string {
  const file = join(dir, "hc.sqlite");
  rmSync(file, { force: true });
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
  return file;
}

describe("a database of Healthchecks", () => {
  const imported = importHealthchecksFile(localFile(written(SQLITE)));
  const { manifest, remarks } = imported;

  it("becomes heartbeats that are due when they were, at the addresses that senders have", () => {
    expect(manifest.monitors).toEqual({
      "nightly-dump": {
        name: "Nightly dump",
        type: "heartbeat",
        schedule: "0 3 * * *",
        timezone: "Europe/Riga",
        grace_seconds: 600,
        push_token: "31365bce-8da9-4729-8ff3-aaa71d56b712",
        tags: ["db", "prod", "Shop"],
      },
      sync: {
        name: "Sync",
        type: "heartbeat",
        interval: 900,
        grace_seconds: 60,
        push_token: "803f680d-e89b-492b-82ef-2be7b774a92d",
        tags: ["Home"],
        paused: true,
      },
    });
  });

  it("brings integrations whose credentials it holds, for the checks that used them", () => {
    expect(manifest.webhooks).toEqual({
      team: { name: "Team", provider: "email", url: "mailto:ops@shop.example" },
      chat: { name: "Chat", provider: "slack", url: "https://hooks.slack.example/x", monitors: ["nightly-dump"] },
      mattermost: {
        name: "mattermost",
        provider: "mattermost",
        url: "https://chat.example/hooks/x",
        monitors: ["nightly-dump"],
        is_active: false,
      },
      hook: {
        name: "Hook",
        provider: "template",
        url: "https://hook.example/$CODE",
        config: { method: "PUT", headers: { "X-Key": "k" } },
        monitors: ["nightly-dump"],
      },
      duty: {
        name: "Duty",
        provider: "pagerduty",
        url: "https://events.pagerduty.com/v2/enqueue",
        secret: "0123456789abcdef0123456789abcdef",
        monitors: ["nightly-dump"],
      },
      phone: { name: "Phone", provider: "ntfy", url: "https://ntfy.sh/shop-alerts", monitors: ["sync"] },
    });
    for (const { monitors, ...webhook } of Object.values(manifest.webhooks))
      expect(WebhookCreate.safeParse(webhook).error).toBeUndefined();
  });

  it("names what does not come, or not as it was, without a credential", () => {
    expect(remarks.map(({ subject, about, reason }) => `${about} ${subject}: ${reason}`)).toEqual([
      expect.stringContaining('changes project "Shop": pings by its ping key'),
      expect.stringContaining('stays project "Shop": its API keys'),
      expect.stringContaining('changes check "Sync": a ping ends its pause no more'),
      expect.stringContaining('stays check "Sync": only POST counts'),
      expect.stringContaining('stays check "Sync": its filters'),
      expect.stringContaining('changes integration "Hook": words such as $NAME'),
      expect.stringContaining('changes integration "Hook": its body'),
      expect.stringContaining('stays integration "Bot": integrations by telegram'),
      "stays table api_ping: history: 1 rows",
      "stays table api_note: nothing here reads its 1 rows",
      'stays check "Sync": not taken: desc',
    ]);
    expect(JSON.stringify(remarks)).not.toMatch(/secret-api-key|0123456789abcdef/);
  });

  it("is read from a dump of PostgreSQL as well", () => {
    const dump = join(dir, "hc.sql");
    writeFileSync(
      dump,
      `--
-- PostgreSQL database dump
--
CREATE TABLE public.api_check (
    id bigint NOT NULL,
    name character varying(100) NOT NULL,
    code uuid NOT NULL,
    kind character varying(10) NOT NULL,
    timeout interval NOT NULL,
    grace interval NOT NULL,
    manual_resume boolean NOT NULL
);
COPY public.api_check (id, name, code, kind, timeout, grace, manual_resume) FROM stdin;
1	Report	662ebe36-ecab-48db-afe3-e20029cb71e6	simple	1 day	01:00:00	f
\\.
`,
    );
    const { manifest, remarks } = importHealthchecksFile(localFile(dump));
    expect(manifest.monitors).toEqual({
      report: {
        name: "Report",
        type: "heartbeat",
        interval: 86_400,
        grace_seconds: 3600,
        push_token: "662ebe36-ecab-48db-afe3-e20029cb71e6",
      },
    });
    expect(remarks).toEqual([]);
  });

  it("is refused where it is of something else", () => {
    expect(() => importHealthchecksFile(localFile(written("CREATE TABLE t (a)")))).toThrow("it holds no checks");
  });
});
