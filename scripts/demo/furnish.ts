import { pageMembers } from "../../src/data/members/table.ts";
import { newId } from "../../src/platform/ids.ts";
import type { Execute } from "../local/database.ts";
import {
  AGENTS,
  type AgentKey,
  agentOf,
  MONITORS,
  PAGES,
  type PageKey,
  PEOPLE,
  type PersonKey,
  type PlannedMonitor,
} from "./company.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, PAST_DAYS } from "./past.ts";
import { insert, runAll } from "./rows.ts";
import { type Call, listOf } from "./service.ts";
import { MAINTENANCE } from "./stories.ts";

/** What the API made, by the keys of the plan. */
export interface Furnished {
  pages: Record<PageKey, string>;
  people: Record<PersonKey, string>;
  agents: Record<AgentKey, { id: string; token: string; hostname: string }>;
  monitors: Map<string, FurnishedMonitor>;
}

export interface FurnishedMonitor {
  id: string;
  plan: PlannedMonitor;
  /** Where a heartbeat is sent to. */
  heartbeat_path: string | null;
}

export interface Furnishing {
  url: string;
  /** As the owner of the demonstration. */
  call: Call;
  execute: Execute;
  now: number;
  /** A password that nobody learns. */
  newPassword(): string;
}

/** Sets up everything that people would set up by hand, through the API. */
export async function furnish(furnishing: Furnishing): Promise<Furnished> {
  const { call } = furnishing;
  const pages = await eachOf(PAGES, async ({ name, slug, more }) => {
    return (await call("POST", "/status-pages", { name, slug, ...more })).id;
  });
  const people = await furnishPeople(furnishing, pages);
  const agents = await eachOf(AGENTS, (agent) => enroll(furnishing, agent, pages[agent.page]));
  const monitors = await furnishMonitors(call, pages, agents);
  const furnished = { pages, people, agents, monitors };
  await furnishOnCall(call, furnished);
  await furnishChannels(call, furnished);
  await furnishMaintenance(furnishing, furnished);
  await furnishTargets(call, furnished);
  return furnished;
}

async function eachOf<Key extends string, Plan, Made>(
  plans: Record<Key, Plan>,
  make: (plan: Plan, key: Key) => Promise<Made>,
): Promise<Record<Key, Made>> {
  const made: [string, Made][] = [];
  for (const [key, plan] of Object.entries(plans) as [Key, Plan][]) made.push([key, await make(plan, key)]);
  // Made from all keys.
  return Object.fromEntries(made) as Record<Key, Made>;
}

/** Each is asked onto the first page with an account that nobody can sign in to; the other pages have them as well. */
function furnishPeople({ call, execute, now, newPassword }: Furnishing, pages: Furnished["pages"]) {
  return eachOf(PEOPLE, async ({ name, email, role, page, other_pages }) => {
    const path = `/status-pages/${pages[page]}/members`;
    await call("POST", path, { name, email, role, password: newPassword(), confirmed: true });
    const user_id = String((await listOf(call, path)).find((member) => member.email === email)?.user_id);
    const times = { created_at: now, updated_at: now };
    await runAll(
      execute,
      other_pages.map((key) =>
        insert(pageMembers, { id: newId(), status_page_id: pages[key], user_id, role, ...times }),
      ),
    );
    return user_id;
  });
}

async function enroll({ url, call }: Furnishing, { name, hostname }: { name: string; hostname: string }, page: string) {
  const { install_token } = await call("GET", `/agents/token?status_page_id=${page}`);
  const response = await fetch(`${url}/api/uptime/v1/agents/enroll`, {
    method: "POST",
    headers: { "x-agent-token": String(install_token), "content-type": "application/json" },
    body: JSON.stringify({ name, hostname, os: "Debian 13", arch: "x86_64", version: "0.1.0" }),
  });
  const { agent_id, agent_token } = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`the agent ${name} was not enrolled: ${response.status}`);
  return { id: String(agent_id), token: String(agent_token), hostname };
}

async function furnishMonitors(call: Call, pages: Furnished["pages"], agents: Furnished["agents"]) {
  const monitors: Furnished["monitors"] = new Map();
  const groups = new Map<string, string>();
  for (const [key, { groups: names }] of Object.entries(PAGES) as [PageKey, (typeof PAGES)[PageKey]][]) {
    for (const name of names) {
      groups.set(`${key}/${name}`, (await call("POST", "/groups", { status_page_id: pages[key], name })).id);
    }
  }
  for (const plan of MONITORS) {
    const agent = agentOf(plan);
    const made = await call("POST", "/monitors", {
      name: plan.name,
      type: plan.type,
      status_page_id: pages[plan.page],
      group_id: groups.get(`${plan.page}/${plan.group}`),
      tags: plan.tags,
      ...(plan.target === null ? {} : { target: plan.target, interval: plan.interval }),
      ...(agent === null ? {} : { agent_id: agents[agent].id, failure_threshold: 1, recovery_threshold: 1 }),
      ...(plan.members.length === 0 ? {} : { child_ids: plan.members.map((name) => monitors.get(name)?.id) }),
      ...plan.more,
    });
    const { heartbeat } = (made.push_urls ?? {}) as Record<string, string>;
    const heartbeat_path = heartbeat === undefined ? null : heartbeat.slice(new URL(heartbeat).origin.length);
    monitors.set(plan.name, { id: made.id, plan, heartbeat_path });
  }
  return monitors;
}

async function furnishOnCall(call: Call, { pages, people }: Furnished): Promise<void> {
  const page = pages.shop;
  const path = `/status-pages/${page}/on-call`;
  const rotation = { start_at: "2026-01-05T08:00:00Z", period_hours: 7 * 24, handoff_time: "09:00" };
  const primary = await call("POST", `${path}/schedules`, {
    name: "First line",
    timezone: "Europe/Berlin",
    rotations: [{ ...rotation, user_ids: [people.mira, people.jonas] }],
  });
  await call("POST", `/status-pages/${pages.developers}/on-call/schedules`, {
    name: "Platform",
    timezone: "Europe/Berlin",
    rotations: [{ ...rotation, period_hours: 24, user_ids: [people.priya, people.mira] }],
  });
  await call("POST", `${path}/policies`, {
    name: "Outages of the shop",
    is_default: true,
    repeat_count: 1,
    steps: [
      { level: 1, wait_minutes: 0, contacts: [{ type: "schedule", value: primary.id }] },
      { level: 2, wait_minutes: 15, contacts: [{ type: "user", value: people.mira }] },
    ],
  });
}

/** All switched off, and to addresses that nobody can have: a demonstration notifies nobody. */
async function furnishChannels(call: Call, { pages, monitors }: Furnished): Promise<void> {
  const channels = [
    { page: "shop", name: "Operations room", provider: "slack", path: "services/T000/B000/demonstration" },
    { page: "shop", name: "Ticket system", provider: "generic", path: "tickets" },
    { page: "developers", name: "Platform team", provider: "teams", path: "webhookb2/demonstration" },
    { page: "internal", name: "Wall display", provider: "generic", path: "wall" },
  ] as const;
  for (const { page, name, provider, path } of channels) {
    const url = `https://chat.northwind.invalid/${path}`;
    await call("POST", "/webhooks", { status_page_id: pages[page], name, provider, url, is_active: false });
  }
  const latency = { metric: "latency_ms", operator: "gt", value: 1_000, window_minutes: 5 };
  const slow = { display_name: "Slow checkout", event_name: "monitor.degraded", conditions: [latency] };
  const checkout = monitors.get("Checkout")?.id;
  const path = `/status-pages/${pages.shop}`;
  await call("POST", `${path}/events/rules`, { ...slow, monitor_id: checkout, cooldown_seconds: 900 });
  await call("POST", `${path}/incident-templates`, {
    name: "Supplier outage",
    title: "{{monitor}} is unreachable",
    severity: "major",
    initial_update: "A supplier has an outage. **We are in contact with them.**",
  });
}

async function furnishMaintenance({ call, now }: Furnishing, { pages, monitors }: Furnished): Promise<void> {
  for (const plan of MAINTENANCE) {
    const start = Math.floor(now / HOUR_MS) * HOUR_MS + plan.starts_in_hours * HOUR_MS;
    await call("POST", "/maintenance", {
      status_page_id: pages[plan.page],
      title: plan.title,
      description: plan.description,
      is_public: true,
      start_time: new Date(start).toISOString(),
      end_time: new Date(start + plan.minutes * MINUTE_MS).toISOString(),
      recurrence_type: plan.recurrence ?? "none",
      targets: plan.monitors.map((name) => ({ target_type: "monitor", target_id: monitors.get(name)?.id })),
    });
  }
}

async function furnishTargets(call: Call, { pages }: Furnished): Promise<void> {
  const policy = await call("POST", "/sla-policies", { name: "Shop", target_percentage: 99.9, period: "monthly" });
  await call("PUT", `/status-pages/${pages.shop}/sla-policy`, { policy_id: policy.id });
  for (const [page, count] of [
    ["shop", 24],
    ["developers", 14],
  ] as const) {
    const endpoints = Array.from({ length: count }, (_, n) => `reader-${n + 1}@customers-of-northwind.example`);
    await call("POST", "/subscribers", { status_page_id: pages[page], channel: "email", endpoints });
  }
}

/** When the past of the demonstration begins: at midnight, so that the first day is whole. */
export const beginningOfPast = (now: number) => Math.floor(now / DAY_MS) * DAY_MS - PAST_DAYS * DAY_MS;
