import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { betterStack, cachet2, kener, openStatus, statuspage } from "./status-tools.ts";

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
  ...["http_body_encoding TEXT", "radius_password TEXT", "mqtt_topic TEXT", "mqtt_success_message TEXT"],
  ...["mqtt_username TEXT", "mqtt_password TEXT", "kafka_producer_topic TEXT", "kafka_producer_brokers TEXT"],
  ...["kafka_producer_ssl BOOLEAN DEFAULT 0", "kafka_producer_sasl_options TEXT", "kafka_producer_message TEXT"],
  ...["game TEXT", "gamedig_given_port_only BOOLEAN DEFAULT 1", "tls_cert TEXT", "oauth_client_id TEXT"],
];
const LATER_COLUMNS = [
  "json_path_operator TEXT",
  "conditions TEXT",
  "cache_bust BOOLEAN DEFAULT 0",
  "smtp_security TEXT",
  "snmp_oid TEXT",
  "snmp_version TEXT DEFAULT '2c'",
  "rabbitmq_nodes TEXT",
  "rabbitmq_username TEXT",
  "rabbitmq_password TEXT",
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

/** What each type of monitor of 2.x keeps. */
export const KUMA_TYPES: Record<string, string | number>[] = [
  { id: 1, name: "All", type: "group" },
  { id: 2, name: "Inner", type: "group", parent: 1 },
  { id: 3, name: "Deep", type: "http", url: "https://deep.example", parent: 2 },
  { id: 4, name: "Shallow", type: "http", url: "https://shallow.example", parent: 1 },
  {
    id: 5,
    name: "Reverse",
    type: "dns",
    hostname: "192.0.2.7",
    dns_resolve_type: "PTR",
    dns_resolve_server: "9.9.9.9",
  },
  {
    id: 6,
    name: "Resolver",
    type: "dns",
    hostname: "shop.example",
    port: 5353,
    dns_resolve_type: "A",
    dns_resolve_server: "9.9.9.9",
    conditions:
      '[{"type":"expression","andOr":"and","variable":"record","operator":"equals","value":"192.0.2.1"},' +
      '{"type":"expression","andOr":"or","variable":"record","operator":"equals","value":"192.0.2.2"}]',
  },
  {
    id: 7,
    name: "Orders",
    type: "mysql",
    database_connection_string: "mysql://app@db.example:3306/shop",
    radius_password: "p@ss",
    database_query: "SELECT 1",
  },
  {
    id: 8,
    name: "Form",
    type: "http",
    url: "https://form.example",
    method: "POST",
    body: "a=1",
    http_body_encoding: "form",
  },
  {
    id: 9,
    name: "Broker",
    type: "mqtt",
    hostname: "mqtts://queue.example",
    port: 8883,
    mqtt_topic: "alive",
    mqtt_username: "me",
    mqtt_password: "pw",
    mqtt_success_message: "yes",
  },
  {
    id: 10,
    name: "Switch",
    type: "snmp",
    hostname: "192.0.2.9",
    port: 161,
    radius_password: "public",
    snmp_oid: "1.3.6.1.2.1.1.3.0",
    json_path: "$",
    json_path_operator: ">",
    expected_value: "5",
  },
  {
    id: 11,
    name: "Rabbit",
    type: "rabbitmq",
    rabbitmq_nodes: '["http://rabbit-1.example:15672/","http://rabbit-2.example:15672/"]',
    rabbitmq_username: "me",
    rabbitmq_password: "pw",
  },
  {
    id: 12,
    name: "Stream",
    type: "kafka-producer",
    kafka_producer_brokers: '["k1.example:9092","k2.example:9092"]',
    kafka_producer_topic: "alive",
    kafka_producer_message: "hello",
    kafka_producer_ssl: 1,
    kafka_producer_sasl_options: '{"mechanism":"scram-sha-256","username":"me","password":"pw"}',
  },
  { id: 13, name: "Post", type: "smtp", hostname: "mail.example", port: 587, smtp_security: "starttls" },
  { id: 14, name: "Blocks", type: "gamedig", hostname: "play.example", port: 25_565, game: "minecraft" },
  {
    id: 15,
    name: "Guarded",
    type: "http",
    url: "https://guarded.example",
    auth_method: "mtls",
    tls_cert: "-----BEGIN CERTIFICATE-----",
    proxy_id: 1,
  },
];

export const KUMA_HOOK = JSON.stringify({
  type: "webhook",
  webhookURL: "https://hook.example/own",
  httpMethod: "post",
  webhookContentType: "custom",
  webhookCustomBody: '{"text":"{{ msg }}","who":"{{ monitorJSON.name }}"}',
  webhookAdditionalHeaders: '{"X-Key":"k"}',
});

export function writeUptimeKuma(
  file: string,
  version: "1.23" | "2.x",
  { monitors = MONITORS, extra = "" }: { monitors?: typeof MONITORS; extra?: string } = {},
): void {
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
    CREATE TABLE monitor_notification (id INTEGER PRIMARY KEY, monitor_id INTEGER, notification_id INTEGER);
    INSERT INTO monitor_notification VALUES (1, 1, 1), (2, 2, 1);
    INSERT INTO tag VALUES (1, 'prod', '#f00'), (2, 'team', '#0f0');
    INSERT INTO monitor_tag VALUES (1, 1, 1, ''), (2, 1, 2, 'web');
    INSERT INTO status_page VALUES (1, 'kuma-page', 'All systems', 'What we run', NULL);
    INSERT INTO "group" VALUES (1, 'Services', 1, 1);
    INSERT INTO monitor_group VALUES (1, 1, 1, 1), (2, 4, 1, 2);
    INSERT INTO notification VALUES (1, 'Ops', 1, 1, '{"type":"webhook","webhookURL":"https://hook.example/kuma"}'),
      (2, 'Phone', 1, 0, '{"type":"pushover","pushoverapptoken":"azGDORePK8gMaC0QOYAMyEEuzJnyUi","pushoveruserkey":"uQiRzpo4DXghDmr9QzzfQu27cmVRsG"}'),
      (3, 'Desk', 1, 0, '{"type":"lunasea"}');
    INSERT INTO maintenance VALUES (1, 'Night work')`);
  if (extra !== "") database.exec(extra);
  for (const monitor of monitors) {
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

/** What `GET /api/v3/checks/` of Healthchecks answers with a key that may write. */
export const HEALTHCHECKS = JSON.stringify({
  checks: [
    {
      name: "Nightly dump",
      slug: "nightly-dump",
      tags: "prod db",
      desc: "",
      grace: 600,
      n_pings: 12,
      status: "up",
      started: false,
      last_ping: "2026-11-26T03:00:02+00:00",
      next_ping: "2026-11-27T03:00:00+00:00",
      manual_resume: false,
      methods: "",
      subject: "",
      subject_fail: "",
      start_kw: "",
      success_kw: "",
      failure_kw: "",
      filter_subject: false,
      filter_body: false,
      filter_http_body: false,
      filter_default_fail: false,
      badge_url: "https://healthchecks.example/b/2/6d3d.svg",
      uuid: "31365bce-8da9-4729-8ff3-aaa71d56b712",
      ping_url: "https://hc-ping.example/31365bce-8da9-4729-8ff3-aaa71d56b712",
      update_url: "https://healthchecks.example/api/v3/checks/31365bce-8da9-4729-8ff3-aaa71d56b712",
      pause_url: "https://healthchecks.example/api/v3/checks/31365bce-8da9-4729-8ff3-aaa71d56b712/pause",
      resume_url: "https://healthchecks.example/api/v3/checks/31365bce-8da9-4729-8ff3-aaa71d56b712/resume",
      channels: "",
      schedule: "0 3 * * *",
      tz: "Europe/Riga",
    },
    {
      name: "Sync",
      slug: "sync",
      tags: "",
      desc: "Every quarter of an hour",
      grace: 60,
      n_pings: 0,
      status: "paused",
      started: false,
      last_ping: null,
      next_ping: null,
      manual_resume: true,
      methods: "POST",
      filter_subject: false,
      filter_body: true,
      filter_http_body: false,
      filter_default_fail: false,
      failure_kw: "error",
      uuid: "803f680d-e89b-492b-82ef-2be7b774a92d",
      ping_url: "https://hc-ping.example/803f680d-e89b-492b-82ef-2be7b774a92d",
      channels: "1bdea468-03bf-47b8-ab27-29a9dd0e4b94",
      timeout: 900,
    },
    {
      name: "Report",
      slug: "report",
      tags: "",
      grace: 3600,
      status: "new",
      uuid: "662ebe36-ecab-48db-afe3-e20029cb71e6",
      schedule: "Mon..Fri *-*-* 09:00:00",
      tz: "UTC",
    },
  ],
});

/** What `GET /v3/monitors` of UptimeRobot answers. */
export const UPTIMEROBOT = JSON.stringify({
  data: [
    {
      id: 1,
      friendlyName: "Shop",
      url: "https://shop.example/",
      type: "KEYWORD",
      status: "UP",
      interval: 300,
      timeout: 30,
      authType: "HTTP_BASIC",
      httpUsername: "me",
      httpPassword: "pw",
      httpMethodType: "GET",
      customHttpHeaders: { "X-Probe": "1" },
      successHttpResponseCodes: ["2xx", "401"],
      followRedirections: true,
      checkSSLErrors: true,
      sslExpirationReminder: true,
      domainExpirationReminder: true,
      keywordType: "ALERT_NOT_EXISTS",
      keywordCaseType: 0,
      keywordValue: "welcome",
      tags: [{ id: 7, name: "prod", color: "#fff" }],
      assignedAlertContacts: [{ alertContactId: "9", threshold: 0, recurrence: 0 }],
      maintenanceWindows: [],
      responseTimeThreshold: 2000,
    },
    { id: 2, friendlyName: "Mail", url: "mail.example", type: "PORT", status: "PAUSED", interval: 60, port: 993 },
    {
      id: 3,
      friendlyName: "Job",
      url: "https://heartbeat.uptimerobot.example/m3-abc",
      type: "HEARTBEAT",
      status: "UP",
      interval: 3600,
      gracePeriod: 60,
    },
    {
      id: 4,
      friendlyName: "Zone",
      url: "shop.example",
      type: "DNS",
      status: "UP",
      interval: 300,
      config: { dnsRecords: { A: ["192.0.2.1"], MX: ["10 mail.example"] } },
    },
    {
      id: 5,
      friendlyName: "Orders",
      url: "https://api.example/orders",
      type: "API",
      status: "UP",
      interval: 300,
      httpMethodType: "POST",
      postValueType: "RAW_JSON",
      postValueData: { a: 1 },
      config: {
        apiAssertions: {
          logic: "AND",
          checks: [
            { property: "$.ok", comparison: "equals", target: "true" },
            { property: "$.list", comparison: "is_null" },
          ],
        },
      },
    },
  ],
  nextLink: null,
});

/** What `POST /v2/getMonitors` of UptimeRobot answers. */
export const UPTIMEROBOT_2 = JSON.stringify({
  stat: "ok",
  pagination: { offset: 0, limit: 50, total: 51 },
  monitors: [
    {
      id: 777749809,
      friendly_name: "Search",
      url: "http://search.example",
      type: 2,
      sub_type: "",
      keyword_type: 1,
      keyword_case_type: 0,
      keyword_value: "sold out",
      http_username: "",
      http_password: "",
      port: "",
      interval: 900,
      status: 0,
      create_datetime: 1462565497,
    },
  ],
});

export const UPPTIME = `
owner: someone
repo: status
user-agent: checker
sites:
  - name: Shop
    url: https://shop.example
    expectedStatusCodes: [200, 401]
    headers: ["Authorization: Bearer $TOKEN"]
    maxResponseTime: 5000
    tags: [prod]
    icon: https://shop.example/favicon.png
    __dangerous__body_down_if_text_missing: welcome
  - name: Mail
    check: tcp-ping
    url: mail.example
    port: 993
  - name: Certificate
    check: ssl
    url: https://shop.example
  - name: Socket
    check: ws
    url: wss://shop.example
  - name: Six
    url: http://six.example
    method: POST
    body: a=1
    ipv6: true
status-website:
  cname: status.shop.example
  name: Shop Status
  introTitle: Hello
  navbar:
    - title: Home
      href: /
    - title: Shop
      href: https://shop.example
notifications:
  - type: slack
    channel: C1
`;

/** `prometheus.yml` and `blackbox.yml`, one after the other. */
export const BLACKBOX = `
global: { scrape_interval: 30s }
scrape_configs:
  - job_name: web
    metrics_path: /probe
    params: { module: [http_post] }
    static_configs:
      - targets: [https://shop.example, plain.example]
        labels: { team: web }
    relabel_configs:
      - { source_labels: [__address__], target_label: __param_target }
      - { target_label: __address__, replacement: "blackbox:9115" }
  - job_name: names
    metrics_path: /probe
    params: { module: [dns_shop] }
    static_configs: [{ targets: ["9.9.9.9"] }]
  - job_name: node
    static_configs: [{ targets: ["node:9100"] }]
modules:
  http_post:
    prober: http
    timeout: 5s
    http:
      method: POST
      body: '{"a":1}'
      headers: { Content-Type: application/json }
      valid_status_codes: [200, 204]
      basic_auth: { username: me, password: pw }
      fail_if_body_not_matches_regexp: ["ok|fine"]
      follow_redirects: false
      tls_config: { insecure_skip_verify: true }
      preferred_ip_protocol: ip4
  dns_shop:
    prober: dns
    dns: { query_name: shop.example, query_type: MX, valid_rcodes: [NOERROR] }
  spare: { prober: icmp }
`;

export const ALERTMANAGER = `
global: { slack_api_url: "https://hooks.slack.example/x", resolve_timeout: 5m }
route: { receiver: team, group_by: [alertname] }
receivers:
  - name: team
    slack_configs: [{ channel: "#ops", send_resolved: false }]
    pagerduty_configs: [{ routing_key: abc }]
    email_configs: [{ to: "ops@shop.example" }]
  - name: hook
    webhook_configs: [{ url: "https://hook.example/a", max_alerts: 5 }]
    wechat_configs: [{ corp_id: x }]
inhibit_rules: [{ equal: [cluster] }]
`;

export const APPRISE = `
version: 1
urls:
  - discord://123456/abcDEF
  - pover://uKey@aToken/phone:
      - tag: [ops, night]
  - url: ntfys://alerts.example/backup
    tag: backup
  - sns://AKIA/secret/us-east-1/topic
`;

/** With as many items as a large account has. */
export const LARGE_TEXTS: Record<string, string> = {
  "better-stack": betterStack(360),
  cachet: cachet2(300),
  kener: kener(270),
  openstatus: openStatus(300),
  statuspage: statuspage(300),
};

/** By the names of the sources that are texts. */
export const FOREIGN_TEXTS: Record<string, string> = {
  alertmanager: ALERTMANAGER,
  apprise: APPRISE,
  "better-stack": betterStack(12),
  "blackbox-exporter": BLACKBOX,
  gatus: GATUS,
  cachet: cachet2(6),
  healthchecks: HEALTHCHECKS,
  kener: kener(9),
  openstatus: openStatus(6),
  statuspage: statuspage(4),
  uptimerobot: UPTIMEROBOT,
  upptime: UPPTIME,
};
