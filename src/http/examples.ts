/**
 * What the OpenAPI document shows as an example of each body, by method and path, and of each parameter of a path. Ids
 * stand for objects of the reader's own; the sweep over the examples sends every one of them with real ids.
 */
const id = (n: number) => `0199c0de-0000-7000-8000-${String(n).padStart(12, "0")}`;
const [PAGE, MONITOR, GROUP, POLICY, USER, OTHER_PAGE] = [id(1), id(2), id(3), id(4), id(5), id(6)];

const RULE = {
  event_name: "monitor.down",
  display_name: "Shop is slow and down",
  conditions: [{ metric: "latency_ms", operator: "gt", value: 500 }],
  cooldown_seconds: 300,
};
const STEPS = [{ level: 1, wait_minutes: 5, contacts: [{ type: "email", value: "ops@shop.example", label: "Ops" }] }];
const WINDOW = { title: "New disks", start_time: "2030-01-31T02:00:00Z", end_time: "2030-01-31T04:00:00Z" };

const SIGNED = {
  id: "AZr3xVNhdbGWvoOUzvHqTg",
  rawId: "AZr3xVNhdbGWvoOUzvHqTg",
  type: "public-key",
} as const;
const CLIENT_DATA = "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwgIuKApiI6ICLigKYifQ";

const ACCOUNT = {
  "POST /user/api-tokens": { name: "CI", expires_in_days: 90 },
  "POST /user/api-tokens/{id}/rotate": { overlap_hours: 24 },
  "POST /notifications/read": { until: "2030-01-31T02:00:00Z" },
  "POST /user/views": { name: "In trouble", list: "monitors", query: "status=down,degraded&sort=since" },
  "POST /user/wall-links": { name: "Office, second floor" },
  "POST /sign-in-providers": {
    id: "git",
    kind: "github",
    name: "Our GitHub",
    issuer: "https://git.shop.example",
    client_id: "Iv1.8a61f9b3a7aba766",
    account_domains: ["shop.example"],
  },
  "PATCH /sign-in-providers/{id}": { account_domains: ["shop.example", "shop.test"] },
  "POST /user/chat-accounts": { code: "what the link of the chat has" },
  "POST /user/trusted-workflows": {
    repository: "shop/site",
    branch: "main",
    environment: "production",
    scopes: ["maintenance.write"],
  },
  "POST /auth/workflow-token": { trusted_workflow_id: id(1), token: "what GitHub gave the job" },
  "PATCH /session-policy": { session_idle_minutes: 1440, second_factor: "passwords" },
  "PUT /reachable-networks": { networks: ["192.168.1.0/24", "localhost"] },
  "POST /deactivated-accounts": { email: "former@shop.example" },
  "DELETE /user": { password: "correct horse battery staple" },
  "PUT /user/preferences": { mail: true, notify_team: { up: false } },
  "PATCH /auth/me": { name: "Ada Lovelace" },
  "POST /auth/login": { email: "ada@shop.example", password: "correct horse battery staple" },
  "POST /auth/password": { current_password: "correct horse battery staple", new_password: "a longer one by far" },
  "POST /auth/password/forgotten": { email: "ada@shop.example" },
  "POST /auth/password/reset": { token: "the token of the mailed link", password: "a longer one by far" },
  "POST /auth/totp/setup": { password: "correct horse battery staple" },
  "POST /auth/totp/confirm": { code: "123456" },
  "POST /auth/totp/disable": { password: "correct horse battery staple", code: "123456" },
  "POST /auth/passkeys/setup": { password: "correct horse battery staple" },
  "POST /auth/passkeys": {
    name: "Phone",
    credential: { ...SIGNED, response: { clientDataJSON: CLIENT_DATA, attestationObject: "o2NmbXRkbm9uZQ" } },
  },
  "POST /auth/passkeys/sign-in": {
    passkey: {
      ...SIGNED,
      response: { clientDataJSON: CLIENT_DATA, authenticatorData: "SZYN5YgOjGh0NBcP", signature: "MEUCIQDx" },
    },
  },
  "PATCH /auth/passkeys/{id}": { name: "Work phone" },
  "DELETE /auth/passkeys/{id}": { password: "correct horse battery staple" },
  "PATCH /notifications/{id}": { is_read: true },
  "POST /notify-contacts": { type: "email", value: "night@shop.example", label: "Night shift" },
  "POST /notify-contacts/{id}/verify": { code: "123456" },
  "POST /secrets": { name: "SHOP_PASSWORD", value: "correct horse battery staple" },
  "POST /referrals/redeem": { credits: 1 },
  "POST /referrals/click": { code: "0351y5eHyw9l04gaCeR9BJ" },
};

const MONITORS = {
  "POST /mcp": { jsonrpc: "2.0", id: 1, method: "tools/list" },
  "POST /heartbeat/{monitor_id}": { status: "ok", message: "42 files", duration_ms: 1200 },
  "POST /monitors": { name: "Shop", type: "https", target: "https://shop.example/", interval: 60, tags: ["eu"] },
  "POST /monitors/test": { name: "Shop", type: "https", target: "https://shop.example/" },
  "POST /monitors/{id}/test": { target: "https://shop.example/health" },
  "PUT /monitors/{id}": { interval: 300, failure_threshold: 2 },
  "POST /monitors/{id}/clone": { name: "Second shop" },
  "POST /monitors/{id}/tune": { max_false_alarms_per_month: 1, max_delay_seconds: 300 },
  "POST /monitors/bulk": { filter: { status_page_id: PAGE }, action: "update", changes: { interval: 120 } },
  "PUT /monitors/order": { monitors: [{ id: MONITOR, order: 1 }] },
  "PUT /monitors/by-key/{external_key}": { name: "Shop" },
  "PUT /monitors/{id}/push-alias": { token: "9VtnGa4Ka1zXwQ" },
  "PUT /status-pages/{id}/ping-key": { key: "fqOOd6-F4MMNuCEnzTU01w" },
  "POST /monitors/{id}/status": { status: "up", latency_ms: 12, message: "HTTP 200" },
  "POST /groups": { name: "Shops", status_page_id: PAGE },
  "PUT /groups/{id}": { name: "Stores" },
  "PUT /groups/order": { status_page_id: PAGE, groups: [{ id: GROUP, order: 1 }] },
  "PUT /groups/by-key/{external_key}": { name: "Shops", status_page_id: PAGE },
  "POST /api-monitoring/push": {
    endpoint: "/orders",
    method: "POST",
    status_code: 201,
    latency_ms: 42,
    is_error: false,
  },
  "PUT /api-monitoring/monitors/{id}/config": {
    interval: 120,
    degraded_timeout_seconds: 300,
    widgets: [{ type: "line", metric: "latency_ms", title: "Latency" }],
    thresholds: [{ metric: "latency_ms", operator: "gt", value: 800, status: "degraded" }],
  },
  "POST /game-server/push": { player_count: 17, max_players: 64, fps: 60, map_name: "Island", server_name: "North" },
  "PUT /game-server/monitors/{id}/config": { interval: 120, game_type: "minecraft" },
};

const PAGES = {
  "POST /status-pages": {
    name: "Northwind",
    slug: "northwind",
    timezone: "Europe/Berlin",
    brand_color: "#0a7d55",
    layout: "list",
  },
  "PUT /status-pages/{id}": { description: "How our services are doing." },
  "PUT /status-pages/by-key/{external_key}": { description: "How our services are doing." },
  "PUT /status-pages/{id}/ssl": { custom_domain: "status.northwind.example", ssl_type: "managed" },
  "PUT /status-pages/{id}/legal": { imprint_url: "https://northwind.example/imprint" },
  "PATCH /status-pages/{id}/alerting": { auto_create_incident: true, alert_routing: { "monitor.down": "critical" } },
  "POST /status-pages/{id}/monitors/migrate": { target_status_page_id: OTHER_PAGE, monitor_ids: [MONITOR] },
  "POST /status-pages/{id}/transfer": { user_id: USER },
  "POST /status-pages/transfers/accept": { token: "the token of the mailed link" },
  "POST /status-pages/transfers/decline": { token: "the token of the mailed link" },
  "POST /status-pages/{id}/members": { email: "bo@shop.example", role: "editor" },
  "POST /status-pages/members/accept": { token: "the token of the invitation" },
  "PUT /status-pages/{id}/members/{member_id}": { role: "viewer" },
  "PUT /status-pages/{id}/sla-targets": { targets: [{ monitor_id: null, target_percentage: 99.5 }] },
  "PUT /status-pages/{id}/sla-policy": { policy_id: POLICY },
  "POST /sla-policies": { name: "Gold", target_percentage: 99.9, period: "monthly" },
  "PUT /sla-policies/{id}": { target_percentage: 99.95 },
  "POST /subscribers": { status_page_id: PAGE, endpoints: ["reader@shop.example"] },
  "POST /status/{slug}/subscribers": { channel: "email", endpoint: "reader@shop.example", events: ["incident"] },
  "POST /status/{slug}/unlock": { password: "open sesame" },
};

const INCIDENTS = {
  "POST /incidents": { status_page_id: PAGE, title: "Checkout fails", severity: "major", impact: "Orders wait" },
  "PUT /incidents/{id}": { status: "identified", message: "A disk is full." },
  "POST /incidents/{id}/updates": { status: "monitoring", message: "The disk is replaced." },
  "PUT /incidents/{id}/updates/{update_id}": { message: "Two disks are replaced." },
  "POST /incidents/{id}/snooze": { until: "2030-01-31T02:00:00Z" },
  "POST /status-pages/{id}/incident-templates": {
    name: "Slow",
    title: "{{monitor}} is slow",
    initial_update: "We look into it.",
  },
  "PUT /status-pages/{id}/incident-templates/{template_id}": { severity: "minor" },
  "POST /maintenance": { status_page_id: PAGE, ...WINDOW },
  "PUT /maintenance/{id}": { title: "Larger disks" },
  "PUT /maintenance/by-key/{external_key}": { status_page_id: PAGE, title: "Larger disks" },
  "POST /maintenance/{id}/updates": { message: "Halfway." },
  "PUT /maintenance/{id}/updates/{update_id}": { message: "Nearly done." },
};

const ALERTS = {
  "POST /webhooks": { name: "Ops", url: "https://hooks.shop.example/ops", events: ["monitor.down", "monitor.up"] },
  "PUT /webhooks/{id}": { name: "Night shift" },
  "PUT /webhooks/by-key/{external_key}": { name: "Night shift" },
  "POST /status-pages/{id}/alert-setup": { name: "Ops", url: "https://hooks.shop.example/ops" },
  "PUT /status-pages/{status_page_id}/alert-setup/{id}": { name: "Night shift" },
  "POST /status-pages/{id}/alerts": { key: "backup/db-1", title: "The backup of db-1 is late", severity: "major" },
  "POST /status-pages/{id}/alerts/alertmanager": {
    status: "firing",
    groupKey: '{}:{alertname="DiskFull"}',
    commonLabels: { alertname: "DiskFull", severity: "critical" },
    alerts: [{ status: "firing", labels: { alertname: "DiskFull", instance: "db-1" } }],
  },
  "POST /status-pages/{id}/alerts/mapped": { issue: { id: 42, title: "Checkout fails" }, action: "created" },
  "POST /status-pages/{id}/events/emit": { event_name: "deploy.finished", title: "Version 42 is live" },
  "POST /status-pages/{id}/events/rules": RULE,
  "PUT /status-pages/{id}/events/rules/{rule_id}": { cooldown_seconds: 600 },
  "POST /status-pages/{id}/events/rules/import": { version: 1, kind: "event_rules", rules: [RULE] },
  "POST /status-pages/{id}/events/rules/{rule_id}/test": { metrics: { latency_ms: 900 } },
  "PUT /status-pages/{id}/on-call": { policy_id: POLICY },
  "POST /status-pages/{id}/on-call/policies": { name: "Night", is_default: true, steps: STEPS },
  "PUT /status-pages/{id}/on-call/policies/{policy_id}": { name: "Day" },
  "POST /status-pages/{id}/on-call/schedules": { name: "Primary", timezone: "Europe/Berlin" },
  "PUT /status-pages/{id}/on-call/schedules/{schedule_id}": { name: "Secondary" },
};

const AGENTS = {
  "POST /agents": { name: "Rack 1", hostname: "rack-1" },
  "PUT /agents/{agent_id}": { name: "Cellar" },
  "POST /agents/{agent_id}/commands": { type: "discover" },
  "POST /agents/{agent_id}/discoveries/{discovery_id}/monitor": { name: "Cache" },
  "POST /agents/enroll": { name: "Rack 1", hostname: "rack-1" },
  "POST /agents/handshake": { version: "1.0.0", hostname: "rack-1", os: "linux", arch: "x64", capabilities: ["icmp"] },
  "POST /agents/metrics": { cpu_percent: 12, memory_percent: 40, disk_percent: 61, load_1: 0.4 },
  "POST /agents/events": { events: [{ level: "warning", message: "the disk is nearly full" }] },
  "POST /agents/discoveries": { discoveries: [{ kind: "redis", name: "cache", target: "127.0.0.1:6379" }] },
  "POST /agents/commands/{id}/ack": { ok: true },
  "POST /agents/results": { results: [{ monitor_id: MONITOR, status: "up", latency_ms: 12 }] },
};

export const BODY_EXAMPLES: Readonly<Record<string, object>> = {
  ...ACCOUNT,
  ...MONITORS,
  ...PAGES,
  ...INCIDENTS,
  ...ALERTS,
  ...AGENTS,
};

/** By the parameter's name; every other parameter of a path is an id. */
const PARAM_EXAMPLES: Readonly<Record<string, string>> = {
  external_key: "shop-web",
  slug: "northwind",
  start: "2030-01-31T02:00:00.000Z",
  version: "1",
  token: "the-token-of-the-link",
  file: "page.css",
  state: "fail",
};

export const paramExample = (name: string): string => PARAM_EXAMPLES[name] ?? id(7);
