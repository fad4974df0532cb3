/** What Better Stack, OpenStatus and their like answer, with as many items as somebody has, none like the next. */

const upTo = <Item>(count: number, make: (n: number) => Item) => Array.from({ length: count }, (_, n) => make(n));
const pick = <Item>(items: readonly Item[], n: number): Item => items[n % items.length] as Item;
const instant = (n: number) => new Date(Date.UTC(2024, 0, 1, n)).toISOString();

const BETTER_STACK_KINDS = [
  { monitor_type: "status", required_keyword: null, ssl_expiration: 7 },
  { monitor_type: "expected_status_code", expected_status_codes: [200, 401] },
  { monitor_type: "keyword", required_keyword: "welcome", http_method: "post", request_body: '{"a":1}' },
  { monitor_type: "keyword_absence", required_keyword: "sold out", auth_username: "me", auth_password: "pw" },
  { monitor_type: "ping", url: "192.0.2.1", request_timeout: 1000 },
  { monitor_type: "tcp", url: "db.example", port: "5432", request_timeout: 500 },
  { monitor_type: "udp", url: "ntp.example", port: "123", required_keyword: "ok" },
  { monitor_type: "smtp", url: "mail.example", port: "25,587" },
  { monitor_type: "pop", url: "mail.example", port: "995" },
  { monitor_type: "imap", url: "mail.example", port: "993" },
  { monitor_type: "dns", url: "9.9.9.9", request_body: "shop.example", required_keyword: "192.0.2.7" },
  { monitor_type: "playwright", scenario_name: "buys", playwright_script: "await page.goto('/')" },
];

/** `GET /api/v2/monitors`, `/heartbeats`, `/status-pages` and what belongs to the page, their `data` in one list. */
export function betterStack(count: number): string {
  const monitors = upTo(count, (n) => ({
    id: String(1000 + n),
    type: "monitor",
    attributes: {
      url: `https://service-${n}.example/health`,
      pronounceable_name: `Service ${n}`,
      monitor_group_id: n % 3 === 0 ? 7 : null,
      last_checked_at: instant(n),
      status: pick(["up", "down", "validating"], n),
      policy_id: null,
      expiration_policy_id: null,
      team_name: "Shop",
      required_keyword: null,
      verify_ssl: n % 5 !== 1,
      check_frequency: pick([30, 60, 180, 1800], n),
      call: false,
      sms: true,
      email: true,
      push: true,
      critical_alert: false,
      team_wait: 180,
      http_method: "get",
      request_timeout: pick([5, 30, 60], n),
      recovery_period: pick([0, 180], n),
      request_headers: n % 4 === 0 ? [{ id: "9", name: "X-Probe", value: String(n) }] : [],
      request_body: "",
      follow_redirects: n % 7 !== 2,
      remember_cookies: true,
      created_at: instant(n),
      updated_at: instant(n),
      ssl_expiration: null,
      domain_expiration: n % 6 === 0 ? 14 : null,
      regions: ["us", "eu", "as", "au"],
      expected_status_codes: [],
      port: null,
      confirmation_period: pick([0, 120], n),
      paused_at: n % 10 === 9 ? instant(n) : null,
      paused: n % 10 === 9,
      maintenance_from: n % 20 === 4 ? "01:00:00" : null,
      maintenance_to: n % 20 === 4 ? "03:00:00" : null,
      maintenance_timezone: "UTC",
      maintenance_days: ["sun"],
      proxy_host: null,
      proxy_port: null,
      ip_version: null,
      playwright_script: null,
      scenario_name: null,
      environment_variables: null,
      auth_username: "",
      auth_password: "",
      ...pick(BETTER_STACK_KINDS, n),
    },
    ...(n === 11 && { relationships: { policy: { data: null } } }),
  }));
  const heartbeats = upTo(Math.ceil(count / 4), (n) => ({
    id: String(n),
    type: "heartbeat",
    attributes: {
      url: `https://uptime.betterstack.example/api/v1/heartbeat/token${n}`,
      name: `Job ${n}`,
      period: pick([60, 3600, 86_400, 604_800], n),
      grace: pick([0, 300], n),
      call: false,
      sms: false,
      email: true,
      push: true,
      team_wait: 180,
      heartbeat_group_id: null,
      sort_index: null,
      paused_at: null,
      status: "up",
      maintenance_days: [],
    },
  }));
  const page = {
    id: "5",
    type: "status_page",
    attributes: {
      company_name: "Shop",
      company_url: "https://shop.example",
      contact_url: "mailto:help@shop.example",
      logo_url: "https://shop.example/logo.png",
      timezone: "Berlin",
      subdomain: "shop",
      custom_domain: "status.shop.example",
      hide_from_search_engines: true,
      password_enabled: false,
      announcement: "Sale",
      layout: "vertical",
      aggregate_state: "operational",
    },
  };
  const sections = ["Jobs", "Web"].map((name, n) => ({
    id: String(n + 1),
    type: "status_page_section",
    attributes: { name, position: 1 - n },
  }));
  const resources = upTo(count, (n) => ({
    id: String(n),
    type: "status_page_resource",
    attributes: {
      status_page_section_id: 2,
      resource_id: 1000 + n,
      resource_type: "Monitor",
      public_name: `Service ${n}`,
      position: count - n,
      widget_type: "history",
      availability: 0.9999,
      status: "operational",
    },
  }));
  const group = { id: "7", type: "monitor_group", attributes: { name: "Backend", paused: false } };
  const data = [...monitors, ...heartbeats, page, ...sections, ...resources, group];
  return JSON.stringify({ data, pagination: { first: "a", last: "a", prev: null, next: null } });
}

const OPENSTATUS_KINDS = [
  {
    jobType: "http",
    method: "GET",
    assertions: [
      { type: "status", compare: "gte", target: 200 },
      { type: "status", compare: "lt", target: 400 },
      { type: "header", compare: "contains", key: "Content-Type", target: "json" },
      { type: "textBody", compare: "not_contains", target: "error" },
      { type: "textBody", compare: "eq", target: "second" },
    ],
  },
  {
    jobType: "http",
    method: "POST",
    body: '{"a":1}',
    headers: [{ key: "Authorization", value: "Bearer abc" }],
    followRedirects: false,
  },
  { jobType: "http", method: "HEAD", assertions: [{ type: "header", compare: "empty", key: "X-Error", target: "" }] },
  { jobType: "tcp", url: "db.example:5432" },
  {
    jobType: "dns",
    url: "shop.example",
    assertions: [
      { type: "dnsRecord", key: "MX", compare: "eq", target: "10 mail.example" },
      { type: "dnsRecord", key: "TXT", compare: "contains", target: "v=spf1" },
    ],
  },
  { jobType: "icmp", url: "192.0.2.1" },
];

/** `GET /v1/monitor` and `GET /v1/page` in one object. */
export function openStatus(count: number): string {
  const monitors = upTo(count, (n) => ({
    id: n + 1,
    periodicity: pick(["30s", "1m", "5m", "1h"], n),
    url: `https://service-${n}.example`,
    regions: ["ams", "iad"],
    name: `service-${n}`,
    externalName: n % 5 === 0 ? `Service ${n}` : null,
    description: n % 3 === 0 ? "What it does" : "",
    method: "GET",
    body: "",
    headers: [],
    assertions: [],
    active: n % 6 !== 5,
    public: true,
    degradedAfter: n % 2 === 0 ? 2000 : null,
    timeout: 45_000,
    retry: 3,
    followRedirects: true,
    ...pick(OPENSTATUS_KINDS, n),
  }));
  const pages = [
    {
      id: 1,
      title: "Shop",
      description: "What we run",
      slug: "shop-open",
      customDomain: "status.shop.example",
      icon: "https://shop.example/icon.png",
      passwordProtected: false,
      accessType: "public",
      showMonitorValues: true,
      monitors: upTo(count, (n) => ({ monitorId: n + 1, order: count - n })),
    },
    { id: 2, title: "Team", slug: "team", accessType: "password", passwordProtected: true, monitors: [1] },
  ];
  return JSON.stringify({ monitors, pages });
}

export const OPENSTATUS_YAML = `
"26":
  active: true
  assertions:
    - { compare: eq, kind: statusCode, target: 200 }
  description: Front page
  frequency: 10m
  kind: http
  name: Front
  regions: [iad, ams]
  request: { headers: { X-Probe: "1" }, method: GET, url: "https://shop.example" }
  retry: 2
database:
  active: false
  frequency: 30s
  kind: tcp
  name: Database
  openTelemetry: { endpoint: "http://otel.example:4318", headers: { key: abc } }
  request: { host: db.example, port: 5432 }
`;

const STATUSPAGE_FLOW = ["investigating", "identified", "monitoring", "resolved"];

/** `GET /v1/pages/ID`, and `components`, `component-groups`, `incidents` and `subscribers?state=all` below it. */
export function statuspage(count: number): string {
  const components = upTo(count, (n) => ({
    id: `c${n}`,
    page_id: "kctbh9vrtdwd",
    group_id: n % 3 === 2 ? null : `g${n % 3}`,
    created_at: instant(n),
    updated_at: instant(n),
    group: false,
    name: `Component ${n}`,
    description: n === 0 ? "What customers see" : null,
    position: count - n,
    status: pick(["operational", "major_outage"], n),
    showcase: true,
    only_show_if_degraded: n === 1,
    automation_email: `component+${n}@notifications.statuspage.example`,
    start_date: "2020-01-01",
  }));
  const component_groups = ["Web", "API"].map((name, n) => ({
    id: `g${n}`,
    page_id: "kctbh9vrtdwd",
    name,
    description: null,
    components: components.filter(({ group_id }) => group_id === `g${n}`).map(({ id }) => id),
    position: 1 - n,
    created_at: instant(n),
    updated_at: instant(n),
  }));
  const update = (n: number, status: string, at: string) => ({
    id: `u${n}${status}`,
    incident_id: `i${n}`,
    affected_components: null,
    body: `It is ${status}: café <b>${n}</b>`,
    created_at: at,
    custom_tweet: null,
    deliver_notifications: true,
    display_at: at,
    status,
    tweet_id: null,
    twitter_updated_at: null,
    updated_at: at,
    wants_twitter_update: false,
  });
  const written = (n: number) => ({
    id: `i${n}`,
    page_id: "kctbh9vrtdwd",
    components: [{ id: `c${n % count}`, name: `Component ${n % count}`, status: "operational" }],
    created_at: instant(n * 24),
    updated_at: instant(n * 24 + 5),
    impact: pick(["none", "minor", "major", "critical"], n),
    impact_override: null,
    metadata: {},
    monitoring_at: null,
    postmortem_body: n === 0 ? "A disk was full." : null,
    postmortem_published_at: n === 0 ? instant(48) : null,
    postmortem_ignored: false,
    reminder_intervals: null,
    shortlink: `https://stspg.example/i${n}`,
  });
  const past = upTo(count, (n) => ({
    ...written(n),
    name: `Slow answers ${n}`,
    status: n === 0 ? "postmortem" : "resolved",
    started_at: instant(n * 24),
    resolved_at: instant(n * 24 + 3),
    incident_updates: STATUSPAGE_FLOW.map((status, hour) => update(n, status, instant(n * 24 + hour))).reverse(),
  }));
  const open = {
    ...written(count),
    name: "Still slow",
    status: "investigating",
    started_at: instant(9),
    resolved_at: null,
    incident_updates: [update(count, "investigating", instant(9))],
  };
  const windows = upTo(Math.ceil(count / 4), (n) => ({
    ...written(10_000 + n),
    name: `Upgrade ${n}`,
    impact: "maintenance",
    status: pick(["completed", "scheduled"], n),
    scheduled_for: instant(n * 100),
    scheduled_until: instant(n * 100 + 2),
    scheduled_auto_completed: true,
    scheduled_remind_prior: true,
    started_at: null,
    resolved_at: null,
    incident_updates: [update(n, "scheduled", instant(n * 100 - 24))],
  }));
  const subscribers = upTo(count, (n) => ({
    id: `s${n}`,
    mode: pick(["email", "email", "sms", "webhook"], n),
    email: `reader${n}@customer.example`,
    skip_confirmation_notification: false,
    quarantined_at: n === 1 ? instant(1) : null,
    purge_at: null,
    components: null,
    created_at: instant(n),
  }));
  const page = {
    id: "kctbh9vrtdwd",
    created_at: instant(0),
    updated_at: instant(1),
    name: "Shop",
    page_description: "What we run",
    headline: null,
    branding: "basic",
    subdomain: "shop-status",
    domain: "status.shop.example",
    url: "https://www.shop.example",
    support_url: "https://help.shop.example",
    hidden_from_search: false,
    allow_email_subscribers: true,
    time_zone: "Europe/Berlin",
    css_body_background_color: "ffffff",
  };
  return JSON.stringify({ page, components, component_groups, incidents: [open, ...past, ...windows], subscribers });
}

/** A time as Laravel writes it, in UTC. */
const laravel = (n: number) => instant(n).slice(0, 19).replace("T", " ");

/** `GET /api/v1/components`, `/components/groups`, `/incidents` and `/schedules` of Cachet 2. */
export function cachet2(count: number): string {
  const times = (n: number) => ({ created_at: laravel(n), updated_at: laravel(n + 2) });
  const components = upTo(count, (n) => ({
    id: n + 1,
    name: `Component ${n}`,
    description: n === 0 ? "What customers see" : "",
    link: n === 1 ? "https://shop.example" : "",
    status: 1,
    order: count - n,
    group_id: n % 2,
    enabled: n !== 3,
    meta: null,
    ...times(n),
    deleted_at: null,
    status_name: "Operational",
    tags: [],
  }));
  const groups = [
    {
      id: 1,
      name: "Web",
      order: 0,
      collapsed: 0,
      visible: 0,
      ...times(0),
      enabled_components: [],
      lowest_human_status: "",
    },
  ];
  const incidents = upTo(count, (n) => ({
    id: n + 1,
    user_id: 1,
    component_id: (n % count) + 1,
    name: `Slow answers ${n}`,
    status: n === 2 ? 1 : 4,
    message: `We look at it: ${n}`,
    stickied: n === 1,
    notifications: false,
    visible: n === 4 ? 0 : 1,
    occurred_at: laravel(n * 24),
    ...times(n * 24),
    deleted_at: null,
    is_resolved: n !== 2,
    updates: [
      {
        id: n,
        incident_id: n + 1,
        status: n === 2 ? 2 : 4,
        message: n === 2 ? "Found" : "Fixed",
        user_id: 1,
        created_at: laravel(n * 24 + 1),
        updated_at: laravel(n * 24 + 1),
        human_status: "Fixed",
        permalink: "https://status.example/incidents/1",
      },
    ],
    human_status: "Fixed",
    latest_update_id: 1,
    latest_status: 4,
    latest_human_status: "Fixed",
    latest_icon: "icon ion-checkmark greens",
    permalink: "https://status.example/incidents/1",
    duration: 3600,
  }));
  const schedules = upTo(4, (n) => ({
    id: n + 1,
    name: `Upgrade ${n}`,
    message: "New disks",
    status: n === 3 ? 0 : 2,
    scheduled_at: laravel(n * 100),
    completed_at: n === 3 ? null : laravel(n * 100 + 2),
    ...times(n),
    human_status: "Complete",
    components: [],
  }));
  const meta = { pagination: { total: count, count, per_page: count, current_page: 1, total_pages: 1 } };
  return JSON.stringify({
    components: { meta, data: components },
    component_groups: { meta, data: groups },
    incidents: { meta, data: incidents },
    schedules: { meta, data: schedules },
    subscribers: [{ id: 1, email: "reader@customer.example", verified_at: laravel(1) }],
  });
}

/** The same of Cachet 3, by `?include=components,updates`. */
export function cachet3(count: number): string {
  const when = (n: number) => ({ human: "1 year ago", string: laravel(n) });
  const item = (type: string, id: number, attributes: object) => ({
    id: String(id),
    type,
    attributes: { id, ...attributes },
  });
  const components = upTo(count, (n) =>
    item("components", n + 1, {
      name: `Component ${n}`,
      description: null,
      link: null,
      order: n,
      status: { human: "Operational", value: 1 },
      latest_status: { human: "Operational", value: 1 },
      enabled: true,
      created: when(n),
      updated: when(n),
    }),
  );
  const incidents = upTo(count, (n) =>
    item("incidents", n + 1, {
      guid: null,
      name: `Slow answers ${n}`,
      message: `We look at it: ${n}`,
      visible: 1,
      stickied: false,
      notifications: false,
      status: { human: "Fixed", value: 4 },
      occurred: when(n * 24),
      published: when(n * 24),
      created: when(n * 24),
      updated: when(n * 24 + 3),
    }),
  );
  const schedules = [
    item("schedules", 1, {
      name: "Upgrade",
      message: "New disks",
      status: { human: "Complete", value: 2 },
      scheduled: when(0),
      completed: when(2),
      published: when(0),
      created: when(0),
      updated: when(2),
    }),
  ];
  const links = { first: "https://status.example/api/components?page=1" };
  return JSON.stringify({
    settings: { app_name: "Shop" },
    components: { data: components, links, meta: { current_page: 1 } },
    component_groups: { data: [], links, meta: {} },
    incidents: { data: incidents, links, meta: {} },
    schedules: { data: schedules, links, meta: {} },
  });
}

const KENER_KINDS: [string, object][] = [
  [
    "API",
    {
      url: "https://shop.example/health",
      method: "POST",
      headers: [{ key: "Authorization", value: "Bearer abc" }],
      body: '{"a":1}',
      timeout: 5000,
      eval: "(async function () { return { status: 'UP' } })",
      allowSelfSignedCert: true,
    },
  ],
  ["PING", { hosts: [{ type: "IP4", host: "192.0.2.1", timeout: 1000, count: 3 }] }],
  [
    "TCP",
    {
      hosts: [
        { type: "DOMAIN", host: "db.example", port: 5432, timeout: 1000 },
        { type: "IP6", host: "2001:db8::1", port: 5432, timeout: 1000 },
      ],
    },
  ],
  [
    "DNS",
    {
      host: "shop.example",
      lookupRecord: "MX",
      nameServer: "9.9.9.9",
      matchType: "ANY",
      values: ["10 a.example", "20 b.example"],
    },
  ],
  ["SSL", { host: "shop.example", port: "443", degradedRemainingHours: 240, downRemainingHours: 24 }],
  ["SQL", { dbType: "pg", connectionString: "postgresql://u:p@db.example/app", query: "SELECT 1", timeout: 5000 }],
  ["HEARTBEAT", { degradedRemainingMinutes: 5, downRemainingMinutes: 10, secretString: "s" }],
  ["GRPC", { host: "grpc.example", port: 50051 }],
  ["NONE", {}],
];

/** Rows of the table `monitors` of Kener, as its API answers them. */
export function kenerMonitors(count: number) {
  const monitors = upTo(count, (n) => {
    const [monitor_type, type_data] = pick(KENER_KINDS, n);
    return {
      id: n + 1,
      tag: `tag-${n}`,
      name: `Monitor ${n}`,
      description: n === 0 ? "What it does" : "",
      cron: pick(["* * * * *", "*/5 * * * *", "0 * * * *", "0 3 * * *"], n),
      default_status: "NONE",
      status: n % 5 === 4 ? "INACTIVE" : "ACTIVE",
      category_name: pick(["Home", "Web"], n),
      monitor_type,
      type_data: JSON.stringify(type_data),
      day_degraded_minimum_count: 1,
      day_down_minimum_count: 1,
      include_degraded_in_downtime: "NO",
    };
  });
  const group = {
    tag: "all",
    name: "All",
    monitor_type: "GROUP",
    type_data: JSON.stringify({ monitors: [{ tag: "tag-0" }, { tag: "tag-3" }, { tag: "gone" }] }),
  };
  return [...monitors, group];
}
export const kener = (count: number) => JSON.stringify(kenerMonitors(count));
