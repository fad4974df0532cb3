import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Plan } from "../../src/contract/plan.ts";
import { newId } from "../../src/platform/ids.ts";
import { settingsOf } from "../../src/platform/settings.ts";
import { enrollAgent } from "../support/agents.ts";
import { createClientUnder, V1 } from "../support/client.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import { mailsTo } from "../support/mail.ts";
import { insertMonitor } from "../support/monitors.ts";
import { freshSlug } from "../support/pages.ts";
import { insertSubscriber, useSubscriberQueue } from "../support/subscribers.ts";
import { sinkUrl } from "../support/webhooks.ts";

const MADE_BEFORE = 1_000_000;
const DEFAULTS = { RATE_LIMITS: "" };
const LIMITED = { status: 403, body: { code: "plan_limit" } };

/** An account whose requests are counted as those of a strangers' service are. */
async function limited(plan: Plan = "free", settings: Record<string, unknown> = DEFAULTS) {
  const account = await createAccount({ plan });
  const client = createClientUnder(settings, account.token);
  const page = await createPage(account);
  return { account, client, page, send: (path: string, body: unknown) => client.post(`${V1}${path}`, body) };
}

const webhook = () => ({ name: "Hook", url: sinkUrl(), provider: "generic" });
const incident = (status_page_id: string, body = {}) => ({ title: "Slow", status_page_id, ...body });
function window(status_page_id: string, from: number) {
  const at = (ms: number) => new Date(from + ms).toISOString();
  return { status_page_id, title: "Move", start_time: at(0), end_time: at(3_600_000) };
}
const soon = () => Date.now() + 86_400_000;

/** Rows that are there already, because a test cannot send thousands of requests. */
async function fill(table: string, count: number, columns: Record<string, string>): Promise<void> {
  const names = Object.keys(columns);
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO ${table} (id, ${names.join(", ")}, created_at, updated_at)
     SELECT ? || '-' || i, ${names.map(() => "?").join(", ")}, ${MADE_BEFORE}, ${MADE_BEFORE} FROM n`,
  )
    .bind(count, newId(), ...Object.values(columns))
    .run();
}

const fillIncidents = ({ user_id }: Account, page: string, count: number, created_by: string | null = user_id) =>
  fill("incidents", count, {
    owner_id: user_id,
    status_page_id: page,
    title: "Old",
    severity: "minor",
    status: "investigating",
    is_public: "0",
    started_at: "1",
    ...(created_by === null ? {} : { created_by }),
  });
const fillTemplates = ({ user_id }: Account, page: string, count: number) =>
  fill("incident_templates", count, {
    owner_id: user_id,
    created_by: user_id,
    status_page_id: page,
    name: "Old",
    title: "Old",
    severity: "minor",
    status: "investigating",
    is_public: "0",
  });
const fillMaintenance = ({ user_id }: Account, page: string, count: number, edge: Record<string, string>) =>
  fill("maintenance", count, {
    owner_id: user_id,
    created_by: user_id,
    status_page_id: page,
    title: "Old",
    is_public: "1",
    start_time: "1",
    end_time: "2",
    recurrence_type: "none",
    recurrence_interval: "1",
    done_until: "0",
    ...edge,
  });
const fillWebhooks = ({ user_id }: Account, count: number) =>
  fill("webhooks", count, { owner_id: user_id, created_by: user_id, name: "Old", provider: "generic", sealed: "x" });

describe("an account", () => {
  it.each<[Plan, number]>([
    ["free", 10],
    ["starter", 25],
    ["pro", 50],
    ["business", 200],
  ])("on plan %s has at most %i webhooks", async (plan, max) => {
    const { account, send } = await limited(plan);
    await fillWebhooks(account, max - 1);
    expect((await send("/webhooks", webhook())).status).toBe(201);
    expect(await send("/webhooks", webhook())).toMatchObject({
      status: 403,
      body: { code: "plan_limit", error: `the ${plan} plan includes at most ${max} webhooks` },
    });
  });

  it.each<[Plan, number]>([
    ["free", 50],
    ["starter", 200],
    ["pro", 500],
    ["business", 2_000],
  ])("on plan %s has at most %i open incidents, templates and planned windows", async (plan, max) => {
    const { account, page, send } = await limited(plan);
    await fillIncidents(account, page, max - 1);
    await fillTemplates(account, page, max - 1);
    await fillMaintenance(account, page, max - 1, { next_edge_at: String(soon()) });
    const templates = `/status-pages/${page}/incident-templates`;
    const template = { name: "Outage", title: "Outage" };
    const asked: [string, unknown][] = [
      ["/incidents", incident(page)],
      [templates, template],
      ["/maintenance", window(page, soon())],
    ];
    for (const [path, body] of asked) {
      expect([path, (await send(path, body)).status]).toEqual([path, 201]);
      expect([path, await send(path, body)]).toMatchObject([path, LIMITED]);
    }
  });

  it("of the operator's own service has no such limits", async () => {
    const { account, page, send } = await limited("self_hosted");
    await fillWebhooks(account, 300);
    await fillIncidents(account, page, 2_500);
    await fillTemplates(account, page, 2_500);
    expect((await send("/webhooks", webhook())).status).toBe(201);
    expect((await send("/incidents", incident(page))).status).toBe(201);
    expect((await send(`/status-pages/${page}/incident-templates`, { name: "x", title: "x" })).status).toBe(201);
  });

  it("keeps its limit against requests at the same time", async () => {
    const { account, send } = await limited();
    await fillWebhooks(account, 7);
    const answers = await Promise.all(Array.from({ length: 8 }, () => send("/webhooks", webhook())));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 403, 403, 403, 403, 403]);
    const stored = env.DB.prepare("SELECT count(*) AS n FROM webhooks WHERE owner_id = ?").bind(account.user_id);
    expect(await stored.first<number>("n")).toBe(10);
  });

  it("is not limited by automatic, ended or past things", async () => {
    const { account, page, send } = await limited();
    await fillIncidents(account, page, 60, null);
    await fillMaintenance(account, page, 60, {});
    for (let n = 0; n < 3; n++) {
      expect((await send("/incidents", incident(page, { status: "resolved" }))).status).toBe(201);
    }
    expect((await send("/incidents", incident(page))).status).toBe(201);
    expect((await send("/maintenance", window(page, soon()))).status).toBe(201);
  });

  it("reopens no incident beyond the limit", async () => {
    const { account, client, page, send } = await limited();
    const { id } = (await send("/incidents", incident(page, { status: "resolved" }))).body;
    await fillIncidents(account, page, 50);
    expect(await client.put(`${V1}/incidents/${id}`, { status: "investigating" })).toMatchObject(LIMITED);
    const update = { message: "Again", status: "investigating" };
    expect(await send(`/incidents/${id}/updates`, update)).toMatchObject(LIMITED);
    expect((await client.put(`${V1}/incidents/${id}`, { title: "Was slow" })).status).toBe(200);
  });

  it("posts 500 updates to an incident, and can still end it", async () => {
    const { page, client, send } = await limited();
    const { id } = (await send("/incidents", incident(page))).body;
    await fill("incident_updates", 499, { incident_id: id, status: "investigating", message: "Working" });
    expect((await send(`/incidents/${id}/updates`, { message: "Still" })).status).toBe(201);
    expect(await send(`/incidents/${id}/updates`, { message: "Still" })).toMatchObject(LIMITED);
    expect(await client.put(`${V1}/incidents/${id}`, { status: "identified" })).toMatchObject(LIMITED);
    expect((await send(`/incidents/${id}/updates`, { message: "Over", status: "resolved" })).status).toBe(201);
  });

  it("posts 500 updates to a maintenance window, and can still end it", async () => {
    const { page, send } = await limited();
    const { id } = (await send("/maintenance", window(page, Date.now() - 1_000))).body;
    await fill("maintenance_updates", 500, { maintenance_id: id, status: "in_progress", message: "Working" });
    expect(await send(`/maintenance/${id}/updates`, { message: "Still" })).toMatchObject(LIMITED);
    expect((await send(`/maintenance/${id}/updates`, { message: "Over", status: "completed" })).status).toBe(201);
  });

  it("counts for the owner of the page, regardless of the writer", async () => {
    const { account, page } = await limited();
    const other = await createAccount({ plan: "business" });
    await env.DB.prepare(
      "INSERT INTO page_members (id, status_page_id, user_id, role, capabilities, created_at, updated_at) VALUES (?, ?, ?, 'editor', '[]', 1, 1)",
    )
      .bind(newId(), page, other.user_id)
      .run();
    await fillIncidents(account, page, 50);
    const member = createClientUnder(DEFAULTS, other.token);
    expect(await member.post(`${V1}/incidents`, incident(page))).toMatchObject(LIMITED);
  });
});

describe("stored texts", () => {
  const text = (length: number) => "x".repeat(length);
  const big = (page: string) => incident(page, { description: text(9_000) });

  it("of an account end at the bytes of its plan", async () => {
    const { client, page, send } = await limited("free", { RATE_LIMITS: "all=off,stored_text=25000" });
    const made = [await send("/incidents", big(page)), await send("/incidents", big(page))];
    expect(made.map(({ status }) => status)).toEqual([201, 201]);
    expect(await send("/incidents", big(page))).toMatchObject({
      status: 403,
      body: { code: "plan_limit", error: "the free plan includes at most 25000 bytes of stored texts" },
    });
    expect((await client.get(`${V1}/incidents`)).body).toHaveLength(2);
  });

  it("of agents count as well, whose reports end there, while their results and signs of life go on", async () => {
    const account = await createAccount({ plan: "free" });
    const agent = await enrollAgent(account);
    const monitor = await insertMonitor(account.user_id, { agent_id: agent.id, check_group_id: "" });
    const client = createClientUnder({ RATE_LIMITS: "all=off,stored_text=25000" });
    const headers = { "x-agent-token": agent.token };
    const send = (path: string, body: unknown) => client.post(`${V1}${path}`, body, headers);
    const event = (message: string) => ({ events: [{ message: `${message}${text(9_000)}` }] });
    expect((await send("/agents/events", event("one"))).status).toBe(200);
    expect((await send("/agents/events", event("two"))).status).toBe(200);
    expect(await send("/agents/events", event("three"))).toMatchObject(LIMITED);
    const found = { discoveries: [{ kind: "port", name: "redis", details: { x: text(9_000) } }] };
    expect(await send("/agents/discoveries", found)).toMatchObject(LIMITED);
    expect((await account.client.get(`${V1}/agents/${agent.id}/detail`)).body).toMatchObject({
      events: [{ message: expect.stringMatching(/^two/) }, { message: expect.stringMatching(/^one/) }],
      discoveries: [],
    });
    const result = { status: "up", message: text(9_000) };
    expect((await send(`/monitors/${monitor.id}/status`, result)).status).toBe(200);
    expect((await send("/agents/handshake", { hostname: text(150) })).status).toBe(200);

    await env.DB.prepare("DELETE FROM agent_reports WHERE agent_id = ?").bind(agent.id).run();
    await env.DB.prepare("UPDATE stored_texts SET measured_at = 0 WHERE owner_id = ?").bind(account.user_id).run();
    expect((await send("/agents/events", event("four"))).status).toBe(200);
  });

  it("that were replaced or deleted count no longer", async () => {
    const { account, client, page, send } = await limited("free", { RATE_LIMITS: "all=off,stored_text=25000" });
    const { id } = (await send("/incidents", big(page))).body;
    const measureAgain = () =>
      env.DB.prepare("UPDATE stored_texts SET measured_at = 0 WHERE owner_id = ?").bind(account.user_id).run();
    for (let n = 0; n < 6; n++) {
      await measureAgain();
      const replaced = await client.put(`${V1}/incidents/${id}`, { description: `${text(9_000)}${n}` });
      expect([n, replaced.status]).toEqual([n, 200]);
    }
    await measureAgain();
    expect((await send("/incidents", big(page))).status).toBe(201);
    await measureAgain();
    expect((await send("/incidents", big(page))).status).toBe(403);
    await client.delete(`${V1}/incidents/${id}`);
    await measureAgain();
    expect((await send("/incidents", big(page))).status).toBe(201);
  });

  it("are measured at most once a minute", async () => {
    const { client, page, send } = await limited("free", { RATE_LIMITS: "all=off,stored_text=25000" });
    const { id } = (await send("/incidents", big(page))).body;
    await send("/incidents", big(page));
    expect((await send("/incidents", big(page))).status).toBe(403);
    await client.delete(`${V1}/incidents/${id}`);
    expect((await send("/incidents", big(page))).status).toBe(403);
  });

  it("keep their limit against requests at the same time", async () => {
    const { client, page, send } = await limited("free", { RATE_LIMITS: "all=off,stored_text=30000" });
    const answers = await Promise.all(Array.from({ length: 8 }, () => send("/incidents", big(page))));
    expect(answers.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(3);
    expect(answers.every(({ status }) => status === 201 || status === 403)).toBe(true);
    expect((await client.get(`${V1}/incidents`)).body.length).toBeGreaterThan(0);
  });
});

describe("a full page", () => {
  const queue = useSubscriberQueue();
  const freshMail = () => `reader-${newId()}@example.com`;
  const visitor = createClientUnder(DEFAULTS);
  const subscribe = (slug: string, endpoint = freshMail()) =>
    visitor.post(`/status/${slug}/subscribers`, { channel: "email", endpoint }, { "cf-connecting-ip": freshAddress() });
  const freshAddress = () => `10.${[1, 2, 3].map(() => Math.floor(Math.random() * 256)).join(".")}`;

  async function fillPage({ user_id }: Account, page: string, count: number): Promise<void> {
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO subscribers (id, owner_id, status_page_id, channel, endpoint_hash, endpoint_masked, confirmed_at, created_at, updated_at)
       SELECT ? || i, ?, ?, 'email', 'h' || i, 'x', 1, 1, 1 FROM n`,
    )
      .bind(count, newId(), user_id, page)
      .run();
  }

  async function aPage(plan: Plan) {
    const account = await createAccount({ plan });
    const slug = freshSlug();
    return { account, slug, page: await createPage(account, { slug }) };
  }

  it.each<[Plan, number]>([
    ["free", 250],
    ["starter", 2_500],
    ["pro", 10_000],
  ])("on plan %s has %i confirmed subscribers and refuses more", async (plan, max) => {
    const { account, slug, page } = await aPage(plan);
    await fillPage(account, page, max - 1);
    expect((await subscribe(slug)).status).toBe(202);
    await insertSubscriber(account, { status_page_id: page });
    expect(await subscribe(slug)).toMatchObject({ status: 403, body: { code: "page_full" } });
  });

  it("confirms none of those who asked while there was room", async () => {
    const { account, slug, page } = await aPage("free");
    const endpoint = freshMail();
    expect((await subscribe(slug, endpoint)).status).toBe(202);
    await queue.drain();
    const [mail] = await mailsTo(endpoint);
    const link =
      /http:\/\/vigil\.test(\/status\/\S+\/subscribers\/confirm\?token=[\w.-]+)/.exec(mail?.text ?? "")?.[1] ?? "";
    await fillPage(account, page, 250);
    const press = () => visitor.request("POST", link, "", { "content-type": "application/x-www-form-urlencoded" });
    expect(await press()).toMatchObject({ status: 403, body: expect.stringContaining("accepts no more subscribers") });
    await env.DB.prepare("DELETE FROM subscribers WHERE status_page_id = ? AND endpoint_hash = 'h1'").bind(page).run();
    expect((await press()).status).toBe(200);
  });
});

describe("the limits by plan", () => {
  it("are classes of RATE_LIMITS", async () => {
    const chosen = "webhooks=1,open_incidents=2,timeline_updates=3,incident_templates=4,planned_maintenance=5";
    expect(settingsOf({ ...env, RATE_LIMITS: `${chosen},page_subscribers=6,stored_text=7` })).toBeDefined();
    const { send } = await limited("self_hosted", { RATE_LIMITS: "all=off,webhooks=1" });
    expect((await send("/webhooks", webhook())).status).toBe(201);
    expect(await send("/webhooks", webhook())).toMatchObject(LIMITED);
    const free = await limited("free", { RATE_LIMITS: "all=off" });
    await fillWebhooks(free.account, 20);
    expect((await free.send("/webhooks", webhook())).status).toBe(201);
  });
});
