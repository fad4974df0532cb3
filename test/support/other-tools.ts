import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** Settings of other tools, in the forms that these tools keep them. */

/** Columns of the table `monitor` that 1.23 has; 2.x added more. */
const MONITOR_COLUMNS = [
  ...[
    "id INTEGER PRIMARY KEY",
    "name TEXT",
    "active BOOLEAN DEFAULT 1",
    "user_id INTEGER",
    "interval INTEGER DEFAULT 60",
  ],
  ...["url TEXT", "type TEXT", "hostname TEXT", "port INTEGER", "keyword TEXT", "maxretries INTEGER DEFAULT 0"],
  ...["ignore_tls BOOLEAN DEFAULT 0", "upside_down BOOLEAN DEFAULT 0", "maxredirects INTEGER DEFAULT 10"],
  ...["accepted_statuscodes_json TEXT DEFAULT '[\"200-299\"]'", "dns_resolve_type TEXT", "dns_resolve_server TEXT"],
  ...["retry_interval INTEGER DEFAULT 0", "push_token TEXT", "method TEXT DEFAULT 'GET'", "body TEXT", "headers TEXT"],
  ...["basic_auth_user TEXT", "basic_auth_pass TEXT", "docker_container TEXT", "proxy_id INTEGER", "auth_method TEXT"],
  ...["database_connection_string TEXT", "database_query TEXT", "parent INTEGER", "invert_keyword BOOLEAN DEFAULT 0"],
  ...["json_path TEXT", "expected_value TEXT", "timeout DOUBLE DEFAULT 0", "description TEXT"],
  "http_body_encoding VARCHAR(25)",
];
const LATER_COLUMNS = [
  "json_path_operator TEXT",
  "conditions TEXT",
  "cache_bust BOOLEAN DEFAULT 0",
  "smtp_security TEXT",
];

const MONITORS: Record<string, string | number>[] = [
  { id: 1, name: "Shop", type: "http", url: "https://shop.example/", interval: 60, maxretries: 2, timeout: 48 },
  { id: 2, name: "Search", type: "keyword", url: "http://search.example/", keyword: "sold out", invert_keyword: 1 },
  {
    id: 3,
    name: "Stock",
    type: "json-query",
    url: "https://stock.example/api",
    json_path: "$.ok",
    expected_value: "true",
  },
  { id: 4, name: "Mail port", type: "port", hostname: "mail.example", port: 993, interval: 5 },
  {
    id: 5,
    name: "Names",
    type: "dns",
    hostname: "shop.example",
    dns_resolve_type: "MX",
    dns_resolve_server: "1.1.1.1",
  },
  { id: 6, name: "Backup", type: "push", push_token: "qk2pV0s7Zt9BdX4LmR1YwC8eHnF3aJ6u", interval: 86_400 },
  { id: 7, name: "Gateway", type: "ping", hostname: "192.0.2.1" },
  { id: 8, name: "Queue", type: "mqtt", hostname: "queue.example" },
  { id: 9, name: "Backends", type: "group" },
  {
    id: 10,
    name: "Database",
    type: "postgres",
    parent: 9,
    database_connection_string: "postgres://u:p@db.example/app",
  },
  {
    id: 11,
    name: "Cache",
    type: "redis",
    parent: 9,
    database_connection_string: "redis://cache.example:6379",
    active: 0,
  },
  {
    id: 12,
    name: "Shop",
    type: "http",
    url: "https://shop.example/login",
    method: "POST",
    body: '{"a":1}',
    headers: '{"X-Probe":"1"}',
    basic_auth_user: "me",
    basic_auth_pass: "pw",
    auth_method: "basic",
    ignore_tls: 1,
    maxredirects: 0,
    accepted_statuscodes_json: '["200-299","401"]',
    upside_down: 1,
  },
  {
    id: 13,
    name: "Form",
    type: "http",
    url: "https://shop.example/form",
    method: "POST",
    body: '{"user":"ann","code":"1 2"}',
    http_body_encoding: "form",
    maxredirects: 3,
    accepted_statuscodes_json: '["200-299"]',
  },
];

export function writeUptimeKuma(file: string, version: "1.23" | "2.x"): void {
  rmSync(file, { force: true });
  const database = new DatabaseSync(file);
  const columns = [...MONITOR_COLUMNS, ...(version === "2.x" ? LATER_COLUMNS : [])];
  database.exec(`CREATE TABLE monitor (${columns.join(", ")});
    CREATE TABLE setting (id INTEGER PRIMARY KEY, key TEXT, value TEXT);
    CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT, color TEXT);
    CREATE TABLE monitor_tag (id INTEGER PRIMARY KEY, monitor_id INTEGER, tag_id INTEGER, value TEXT);
    CREATE TABLE status_page (id INTEGER PRIMARY KEY, slug TEXT, title TEXT, description TEXT, footer_text TEXT);
    CREATE TABLE "group" (id INTEGER PRIMARY KEY, name TEXT, weight INTEGER, status_page_id INTEGER);
    CREATE TABLE monitor_group (id INTEGER PRIMARY KEY, monitor_id INTEGER, group_id INTEGER, weight INTEGER);
    CREATE TABLE notification (id INTEGER PRIMARY KEY, name TEXT, active BOOLEAN, is_default BOOLEAN, config TEXT);
    CREATE TABLE maintenance (id INTEGER PRIMARY KEY, title TEXT);
    INSERT INTO tag VALUES (1, 'prod', '#f00'), (2, 'team', '#0f0');
    INSERT INTO monitor_tag VALUES (1, 1, 1, ''), (2, 1, 2, 'web');
    INSERT INTO status_page VALUES (1, 'kuma-page', 'All systems', 'What we run', NULL);
    INSERT INTO "group" VALUES (1, 'Services', 1, 1);
    INSERT INTO monitor_group VALUES (1, 1, 1, 1), (2, 4, 1, 2);
    INSERT INTO notification VALUES (1, 'Ops', 1, 1, '{"type":"webhook","webhookURL":"https://hook.example/kuma"}'),
      (2, 'Phone', 1, 0, '{"type":"pushover","pushoverapptoken":"azGDORePK8gMaC0QOYAMyEEuzJnyUi","pushoveruserkey":"uQiRzpo4DXghDmr9QzzfQu27cmVRsG"}'),
      (3, 'Desk', 1, 0, '{"type":"lunasea"}');
    INSERT INTO maintenance VALUES (1, 'Night work')`);
  for (const monitor of MONITORS) {
    const names = Object.keys(monitor);
    const marks = names.map(() => "?").join(", ");
    database.prepare(`INSERT INTO monitor (${names.join(", ")}) VALUES (${marks})`).run(...Object.values(monitor));
  }
  database.close();
}

export const GATUS = `
metrics: true
endpoints:
  - name: front-end
    group: core
    url: "https://site.example/health"
    interval: 5m
    client: { timeout: 5s, ignore-redirect: true }
    conditions:
      - "[STATUS] == 200"
      - "[BODY].status == UP"
      - "[BODY].items[0].count > 3"
      - "[RESPONSE_TIME] < 150"
      - "[CERTIFICATE_EXPIRATION] > 48h"
    alerts:
      - type: slack
        failure-threshold: 5
        success-threshold: 3
  - name: text
    url: http://site.example/text
    method: POST
    body: "{}"
    headers: { Content-Type: application/json }
    conditions: ["[STATUS] < 300", "[BODY] == pat(*welcome*)"]
  - name: names
    url: "8.8.8.8"
    dns: { query-name: site.example, query-type: A }
    conditions: ["[BODY] == 192.0.2.7", "[DNS_RCODE] == NOERROR"]
  - { name: port, url: "tcp://site.example:5432", enabled: false, interval: 2s, conditions: ["[CONNECTED] == true"] }
  - { name: certificate, url: "tls://site.example:443", conditions: ["[CONNECTED] == true"] }
  - { name: gateway, url: "icmp://192.0.2.1", conditions: ["[CONNECTED] == true"] }
external-endpoints:
  - { name: job, group: core, token: hot-potato, heartbeat: { interval: 30m } }
alerting:
  slack: { webhook-url: "https://hooks.slack.example/x" }
`;
