import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import { openDb, runBatch } from "../../src/data/db.ts";
import { insertEscalation } from "../../src/data/escalations/write.ts";
import { escalationId } from "../../src/outbox/escalations.ts";
import { agentClient, mintInstallToken } from "./agents.ts";
import { insertChatAccountOf } from "./chats.ts";
import { type Client, CORE, V1 } from "./client.ts";
import type { Account } from "./factories.ts";
import { insertNotice } from "./members.ts";
import { insertPasskeyOf } from "./passkeys.ts";
import { PATIENCE } from "./patience.ts";
import { insertSubscriber } from "./subscribers.ts";

/** What a text of this field is; sweeps put there what a browser must not take for markup. */
export type TextOf = (field: string) => string;

export interface FurnishedPage {
  page: string;
  monitor: string;
  heartbeat: string;
  incident: string;
  maintenance: string;
  webhook: string;
  rule: string;
  schedule: string;
  policy: string;
  escalation: string;
  agent: string;
  subscriber: string;
  invitation: string;
}

const TAG_LENGTH_MAX = 100;
const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

async function made(client: Client, path: string, body: unknown): Promise<string> {
  const answer = await client.post(V1 + path, body);
  expect(answer, `${path}: ${JSON.stringify(answer.body)}`).toMatchObject({ status: 201 });
  return String(answer.body.id ?? "");
}

/** A page of this account with one of everything that the dashboard shows. */
export async function furnishPage(account: Account, text: TextOf = (field) => field): Promise<FurnishedPage> {
  const { client, user_id } = account;
  const page = await made(client, "/status-pages", {
    name: text("page name"),
    slug: `p-${crypto.randomUUID()}`,
    description: text("page description"),
    footer_text: text("page footer"),
  });
  const at_page = { status_page_id: page };
  const group = await made(client, "/groups", { ...at_page, name: text("group name") });
  const monitor = await made(client, "/monitors", {
    ...at_page,
    name: text("monitor name"),
    type: "http",
    target: "http://sink.test/",
    paused: true,
    tags: [text("monitor tag").slice(0, TAG_LENGTH_MAX)],
    group_id: group,
  });
  const heartbeat = await made(client, "/monitors", { ...at_page, name: text("heartbeat name"), type: "heartbeat" });
  const template = await made(client, `/status-pages/${page}/incident-templates`, {
    name: text("template name"),
    title: text("template title"),
    initial_update: text("template text"),
  });
  const incident = await made(client, "/incidents", {
    ...at_page,
    title: text("incident title"),
    description: text("incident description"),
    monitor_ids: [monitor],
    impact: text("incident impact"),
    tags: [text("incident tag").slice(0, TAG_LENGTH_MAX)],
    message: text("incident message"),
    assigned_to_id: user_id,
  });
  const maintenance = await made(client, "/maintenance", {
    ...at_page,
    title: text("window title"),
    description: text("window description"),
    start_time: at(24),
    end_time: at(25),
    recurrence_type: "weekly",
    is_public: true,
    targets: [{ target_type: "monitor", target_id: monitor }],
  });
  await made(client, `/maintenance/${maintenance}/updates`, { message: text("window message") });
  await made(client, "/secrets", {
    name: `SHOP_PASSWORD_${crypto.randomUUID().slice(0, 8)}`,
    value: "a value that no view shows",
  });
  const webhook = await made(client, "/webhooks", {
    ...at_page,
    name: text("channel name"),
    url: "https://chat.example/hook",
  });
  const rule = await furnishRule(client, { page, template, text });
  const { schedule, policy } = await furnishOnCall(account, page, text);
  await made(client, `/status-pages/${page}/members`, {
    email: `${crypto.randomUUID()}@example.com`,
    name: text("invited name"),
    role: "viewer",
  });
  await insertNotice(user_id, { title: text("notification title"), message: text("notification message") });
  await insertPasskeyOf(account, text("passkey name"));
  await insertChatAccountOf(account, { name: text("chat name") });
  const workflow = { repository: "shop/site", branch: text("workflow branch"), scopes: ["read"] };
  expect((await client.post(`${CORE}/user/trusted-workflows`, workflow)).status).toBe(201);
  const { body: members } = await client.get(`${V1}/status-pages/${page}/members`);
  return {
    page,
    monitor,
    heartbeat,
    incident,
    maintenance,
    webhook,
    rule,
    schedule,
    policy,
    agent: await furnishAgent(account, page, text),
    escalation: await furnishEscalation(account, { page, incident }),
    subscriber: await insertSubscriber(account, { status_page_id: page, endpoint_masked: text("subscriber") }),
    invitation: members[0]?.id,
  };
}

async function furnishRule(
  client: Client,
  { page, template, text }: { page: string; template: string; text: TextOf },
): Promise<string> {
  const rule = await made(client, `/status-pages/${page}/events/rules`, {
    display_name: text("rule name"),
    event_name: "monitor.down",
    incident_template_id: template,
    conditions: [{ metric: "latency_ms", operator: "gt", value: 500 }],
  });
  await client.put(`${V1}/status-pages/${page}/events/rules/${rule}`, { cooldown_seconds: 60 });
  return rule;
}

async function furnishOnCall({ client, user_id }: Account, page: string, text: TextOf) {
  const path = `/status-pages/${page}/on-call`;
  const schedule = await made(client, `${path}/schedules`, {
    name: text("schedule name"),
    rotations: [{ user_ids: [user_id], start_at: at(-24), period_hours: 24 }],
  });
  const policy = await made(client, `${path}/policies`, {
    name: text("policy name"),
    is_default: true,
    steps: [
      { level: 1, wait_minutes: 0, contacts: [{ type: "schedule", value: schedule }] },
      { level: 2, wait_minutes: 5, contacts: [{ type: "email", value: "a@b.example", label: text("contact label") }] },
    ],
  });
  return { schedule, policy };
}

async function furnishAgent(account: Account, page: string, text: TextOf): Promise<string> {
  const { client } = account;
  const program = agentClient(await mintInstallToken(account));
  const { body } = await program.post(`${V1}/agents/enroll`, {
    name: text("agent name"),
    hostname: text("agent host"),
    os: text("agent system"),
  });
  await env.DB.prepare("UPDATE agents SET status_page_id = ? WHERE id = ?").bind(page, body.agent_id).run();
  const agent = agentClient(body.agent_token);
  const reports: [string, unknown][] = [
    ["events", { events: [{ level: "warn", type: "found", message: text("agent event") }] }],
    ["discoveries", { discoveries: [{ kind: "port", name: text("discovery"), target: text("discovered target") }] }],
    ["metrics", { cpu_percent: 12, memory_percent: 34, disk_percent: 56 }],
  ];
  for (const [path, report] of reports) {
    const answer = await agent.post(`${V1}/agents/${path}`, report);
    expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
  }
  // What a checked server answers is a text of strangers.
  const monitor_id = await made(client, "/monitors", {
    status_page_id: page,
    name: text("watched name"),
    type: "http",
    target: "http://10.0.0.7/",
    agent_id: body.agent_id,
    failure_threshold: 1,
    recovery_threshold: 1,
  });
  for (const status of ["up", "down"]) {
    const result = { monitor_id, status, checked_at: at(0), message: text("check message") };
    expect((await agent.post(`${V1}/agents/results`, { results: [result] })).status).toBeLessThan(300);
  }
  const listOutages = async () => (await client.get(`${V1}/monitors/${monitor_id}/outages`)).body;
  await vi.waitFor(async () => expect(await listOutages()).toHaveLength(1), PATIENCE);
  expect((await client.get(`${V1}/agents/${body.agent_id}`)).status).toBe(200);
  return body.agent_id;
}

/** As the consumer of the incident's event inserts it, which may still be under way. */
async function furnishEscalation({ user_id }: Account, { page, incident }: { page: string; incident: string }) {
  const now = Date.now();
  const db = openDb(env.DB);
  const escalation = {
    id: escalationId(incident),
    owner_id: user_id,
    status_page_id: page,
    incident_id: incident,
    policy_id: null,
    state: null,
    revision: 0,
    failures: 0,
    started_at: now,
    snoozed_until: null,
    due_at: null,
    created_at: now,
    updated_at: now,
    subject: null,
    thread_id: null,
    monitor_id: null,
    transition_seq: null,
    ended_at: null,
    is_automatic: false,
    acknowledged_at: null,
    acknowledged_by: null,
    bundle_id: null,
    bundled_at: null,
  };
  await runBatch(db, [insertEscalation(db, escalation)]);
  return escalation.id;
}
