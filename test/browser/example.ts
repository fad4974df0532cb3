/**
 * A small shop as its team would set it up: monitors with a day of history, an open incident, maintenance, an on-call plan,
 * an agent. Everything goes through the public API. The day of history is what an agent buffered while it was offline.
 */
export interface ExampleService {
  url: string;
  /** Of the operator. */
  token: string;
  /** Of a site that answers every path with 200 within some milliseconds, and `/checkout` with 503 once `breakCheckout` ran. */
  siteUrl: string;
  /** Of mira@northwind.example, who joins the team. */
  memberToken: string;
  breakCheckout(): void;
}

export interface Example {
  page: string;
  group: string;
  shop: string;
  checkout: string;
  heartbeat: string;
  incident: string;
  resolved: string;
  template: string;
  maintenance: string;
  webhook: string;
  rule: string;
  schedule: string;
  policy: string;
  agent: string;
  member: string;
  invitation: string;
  subscriber: string;
}

interface Answer {
  id: string;
  [member: string]: unknown;
}
type Call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

const V1 = "/api/uptime/v1";
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BULK_MAX = 500;

export async function furnishExample(service: ExampleService): Promise<Example> {
  const call = callOf(service);
  const page = (
    await call("POST", "/status-pages", {
      name: "Northwind Status",
      slug: "northwind",
      timezone: "Europe/Berlin",
      brand_color: "#1f5f8b",
      description: "Orders, payments and deliveries of the Northwind shop.",
    })
  ).id;
  await call("POST", "/secrets", { name: "SHOP_PASSWORD", value: "correct horse battery staple" });
  const workflow = { repository: "northwind/shop", branch: "main", scopes: ["maintenance.write"] };
  await call("POST", "/api/core/v1/user/trusted-workflows", workflow);
  const { group, shop, checkout, heartbeat, agent } = await furnishMonitors(service, call, page);
  const member = await furnishTeam(service, call, page);
  const template = (
    await call("POST", `/status-pages/${page}/incident-templates`, {
      name: "Supplier outage",
      title: "{{monitor}} is unreachable",
      severity: "major",
      initial_update: "A supplier has an outage. **We are in contact with them.**",
    })
  ).id;
  const webhook = await furnishChannels(service, call, page);
  const { incident, resolved, maintenance } = await furnishPlan(call, { page, shop, checkout, assignee: member });
  const rule = (
    await call("POST", `/status-pages/${page}/events/rules`, {
      display_name: "Slow checkout",
      event_name: "monitor.degraded",
      monitor_id: checkout,
      cooldown_seconds: 900,
      conditions: [{ metric: "latency_ms", operator: "gt", value: 800, window_minutes: 5 }],
    })
  ).id;
  const { schedule, policy } = await furnishOnCall(call, page, member);
  const invited = await call("POST", `/status-pages/${page}/members`, {
    email: "jonas@northwind.example",
    name: "Jonas Weber",
    role: "viewer",
  });
  await call("POST", "/subscribers", {
    status_page_id: page,
    channel: "email",
    endpoints: ["reader@customer.example"],
  });
  const subscribers = (await call("GET", `/subscribers?status_page_id=${page}`)) as unknown as Answer[];
  return {
    page,
    group,
    shop,
    checkout,
    heartbeat,
    incident,
    resolved,
    template,
    maintenance,
    webhook,
    rule,
    schedule,
    policy,
    agent,
    member,
    invitation: invited.id,
    subscriber: subscribers[0]?.id ?? "",
  };
}

function callOf({ url, token }: ExampleService): Call {
  return async (method, path, body, headers = { authorization: `Bearer ${token}` }) => {
    const response = await fetch(url + (path.startsWith("/api/") ? path : V1 + path), {
      method,
      headers: { "content-type": "application/json", ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? { id: "" } : (JSON.parse(text) as Answer);
  };
}

async function furnishMonitors({ siteUrl, breakCheckout }: ExampleService, call: Call, page: string) {
  const agent = await enrollAgent(call, page);
  const group = (await call("POST", "/groups", { status_page_id: page, name: "Storefront" })).id;
  const on = { status_page_id: page, failure_threshold: 1, recovery_threshold: 1, agent_id: agent.id };
  const http = async (name: string, path: string, more: object = {}) =>
    (await call("POST", "/monitors", { ...on, name, type: "http", target: siteUrl + path, ...more })).id;
  const shop = await http("Web shop", "/shop", { group_id: group, tags: ["shop"] });
  const checkout = await http("Checkout API", "/checkout", { group_id: group, tags: ["shop", "payments"] });
  const search = await http("Search", "/search", { group_id: group, tags: ["shop"] });
  const images = await http("Image delivery", "/images", { tags: ["cdn"] });
  const accounts = await http("Customer accounts", "/accounts", { tags: ["shop"] });
  await reportDay(call, agent.token, [
    { id: shop, base: 84, failing: [[-9, -8.6]] },
    { id: checkout, base: 140, failing: [[-17, -16.2]] },
    { id: search, base: 52, failing: [] },
    { id: images, base: 23, failing: [[-3.2, -3]] },
    { id: accounts, base: 96, failing: [] },
  ]);
  // From here on the service checks them itself.
  for (const id of [shop, checkout, search, images, accounts]) {
    await call("PUT", `/monitors/${id}`, { agent_id: null });
    await call("POST", `/monitors/${id}/check`);
  }
  breakCheckout();
  await call("POST", `/monitors/${checkout}/check`);
  const heartbeat = await call("POST", "/monitors", {
    status_page_id: page,
    name: "Nightly backup",
    type: "heartbeat",
    expected_interval: 86_400,
  });
  const { heartbeat: address } = heartbeat.push_urls as { heartbeat: string };
  await fetch(address, { method: "POST" });
  await call("POST", "/monitors", { name: "Invoice run", type: "heartbeat", schedule: "30 2 * * *" });
  await call("POST", "/monitors", {
    name: "Old web shop",
    type: "http",
    target: `${siteUrl}/old`,
    paused: true,
  });
  await call("POST", "/monitors", {
    status_page_id: page,
    name: "Customer area",
    type: "composite",
    child_ids: [search, accounts],
  });
  return { group, shop, checkout, heartbeat: heartbeat.id, agent: agent.id };
}

async function enrollAgent(call: Call, page: string): Promise<{ id: string; token: string }> {
  const { install_token } = await call("GET", `/agents/token?status_page_id=${page}`);
  const enrolled = await call(
    "POST",
    "/agents/enroll",
    { name: "Warehouse", hostname: "warehouse-1", os: "Debian 13", arch: "x64", version: "0.1.0" },
    { "x-agent-token": String(install_token) },
  );
  const token = String(enrolled.agent_token);
  const credential = { "x-agent-token": token };
  const metrics = Array.from({ length: 48 }, (_, n) => ({
    collected_at: new Date(Date.now() - (48 - n) * 30 * MINUTE).toISOString(),
    cpu_percent: Math.round(22 + 12 * Math.sin(n / 5) + (n % 7)),
    memory_percent: Math.round(48 + n / 6),
    disk_percent: 61,
  }));
  for (const each of metrics) await call("POST", "/agents/metrics", each, credential);
  await call(
    "POST",
    "/agents/discoveries",
    {
      discoveries: [
        { kind: "postgres", name: "PostgreSQL", target: "127.0.0.1:5432" },
        { kind: "container", name: "label-printer", target: "label-printer" },
      ],
    },
    credential,
  );
  await call(
    "POST",
    "/agents/events",
    { events: [{ level: "info", type: "started", message: "connected to the service" }] },
    credential,
  );
  return { id: String(enrolled.agent_id), token };
}

interface Course {
  id: string;
  /** Usual latency in ms. */
  base: number;
  /** Hours from now: from, to. */
  failing: [number, number][];
}

/** A result every ten minutes of the last day, oldest first. */
async function reportDay(call: Call, token: string, courses: readonly Course[]): Promise<void> {
  const now = Date.now();
  const results = courses.flatMap(({ id, base, failing }) =>
    Array.from({ length: 142 }, (_, n) => {
      const hours = -23.8 + n / 6;
      const isDown = failing.some(([from, to]) => hours >= from && hours < to);
      const wave = 1 + 0.25 * Math.sin(n / 11) + 0.15 * Math.sin(n * 1.7);
      return {
        monitor_id: id,
        checked_at: new Date(now + hours * HOUR).toISOString(),
        ...(isDown
          ? { status: "down", latency_ms: null, message: "the server answered 503" }
          : { status: "up", latency_ms: Math.round(base * wave), message: "" }),
      };
    }),
  );
  const inOrder = results.toSorted((a, b) => a.checked_at.localeCompare(b.checked_at));
  for (let from = 0; from < inOrder.length; from += BULK_MAX) {
    const part = inOrder.slice(from, from + BULK_MAX);
    await call("POST", "/agents/results", { results: part }, { "x-agent-token": token });
  }
}

/** Gives the user id of a second person. */
async function furnishTeam({ memberToken }: ExampleService, call: Call, page: string): Promise<string> {
  const { accept_url } = await call("POST", `/status-pages/${page}/members`, {
    email: "mira@northwind.example",
    name: "Mira Sand",
    role: "editor",
  });
  const token = new URL(String(accept_url)).searchParams.get("token");
  await call("POST", "/status-pages/members/accept", { token }, { authorization: `Bearer ${memberToken}` });
  const members = (await call("GET", `/status-pages/${page}/members`)) as unknown as Answer[];
  return String(members.find(({ email }) => email === "mira@northwind.example")?.user_id);
}

async function furnishChannels({ siteUrl }: ExampleService, call: Call, page: string): Promise<string> {
  const { id } = await call("POST", "/webhooks", {
    status_page_id: page,
    name: "Operations room",
    url: `${siteUrl}/hook`,
    provider: "generic",
  });
  await call("POST", `/webhooks/${id}/test`);
  return id;
}

interface Planned {
  page: string;
  shop: string;
  checkout: string;
  assignee: string;
}

async function furnishPlan(call: Call, { page, shop, checkout, assignee }: Planned) {
  const incident = await call("POST", "/incidents", {
    status_page_id: page,
    title: "Payments are refused",
    severity: "major",
    is_public: true,
    message: "We see failing payments and are looking into it.",
    monitor_ids: [checkout],
    assigned_to_id: assignee,
  });
  await call("POST", `/incidents/${incident.id}/updates`, {
    status: "identified",
    message: "The payment provider returns errors. **Orders are kept** and charged later.",
  });
  const resolved = await call("POST", "/incidents", {
    status_page_id: page,
    title: "Slow product pages",
    severity: "minor",
    is_public: true,
    message: "Pages load slowly.",
    monitor_ids: [shop],
    started_at: new Date(Date.now() - 30 * HOUR).toISOString(),
  });
  await call("PUT", `/incidents/${resolved.id}`, { status: "resolved" });
  const start = Math.ceil(Date.now() / HOUR) * HOUR + 26 * HOUR;
  const maintenance = await call("POST", "/maintenance", {
    status_page_id: page,
    title: "New database servers",
    description: "The shop is *read only* meanwhile.",
    start_time: new Date(start).toISOString(),
    end_time: new Date(start + HOUR).toISOString(),
    recurrence_type: "weekly",
    is_public: true,
    targets: [{ target_type: "monitor", target_id: shop }],
  });
  await call("POST", `/maintenance/${maintenance.id}/updates`, { message: "The copy of the data is **up to date**." });
  return { incident: incident.id, resolved: resolved.id, maintenance: maintenance.id };
}

async function furnishOnCall(call: Call, page: string, member: string) {
  const me = (await call("GET", "/../../core/v1/auth/me")).id;
  const path = `/status-pages/${page}/on-call`;
  const schedule = await call("POST", `${path}/schedules`, {
    name: "Primary",
    timezone: "Europe/Berlin",
    rotations: [{ user_ids: [member, me], start_at: "2026-01-05T08:00:00Z", period_hours: 24, handoff_time: "09:00" }],
  });
  const policy = await call("POST", `${path}/policies`, {
    name: "Outages",
    is_default: true,
    repeat_count: 2,
    steps: [
      { level: 1, wait_minutes: 0, contacts: [{ type: "schedule", value: schedule.id }] },
      {
        level: 2,
        wait_minutes: 10,
        contacts: [
          { type: "user", value: me },
          { type: "email", value: "lead@northwind.example", label: "Team lead" },
        ],
      },
    ],
  });
  return { schedule: schedule.id, policy: policy.id };
}
