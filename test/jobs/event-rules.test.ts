import { env } from "cloudflare:workers";
import { and, eq, isNotNull, isNull } from "drizzle-orm";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import type { MonitorTransition } from "../../src/contract/monitor-transition.ts";
import { openDb } from "../../src/data/db.ts";
import { eventLog, eventRules } from "../../src/data/event-rules/table.ts";
import { events } from "../../src/data/events/table.ts";
import { incidentMonitors, incidents, incidentUpdates } from "../../src/data/incidents/table.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { statusPages } from "../../src/data/status-pages/table.ts";
import { deliveries } from "../../src/data/webhooks/table.ts";
import { consumeEvent } from "../../src/events/consume.ts";
import { sweepMaintenance } from "../../src/events/maintenance.ts";
import { sweepSuppressions } from "../../src/events/suppression.ts";
import { formatInstant } from "../../src/lib/date-format.ts";
import { V1 } from "../support/client.ts";
import { createAccount, createMonitor, createPage } from "../support/factories.ts";
import { recordingEnv } from "../support/queues.ts";
import { createWebhook } from "../support/webhooks.ts";

afterEach(() => void vi.useRealTimers());

const db = openDb(env.DB);
const T0 = Date.now() - 3_600_000;
const HOUR = 3_600_000;

beforeAll(() => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
});

async function setUp() {
  const account = await createAccount();
  const page_id = await createPage(account);
  const monitor_id: string = (await createMonitor(account.client, { status_page_id: page_id, name: "Shop" })).id;
  const path = `${V1}/status-pages/${page_id}/events`;
  const rule = async (fields: Record<string, unknown>) => {
    const answer = await account.client.post(`${path}/rules`, { event_name: "monitor.down", ...fields });
    expect(answer).toMatchObject({ status: 201 });
    return answer.body;
  };
  const emit = (fields: Record<string, unknown> = {}) =>
    account.client.post(`${path}/emit`, { event_name: "deploy.failed", evaluate_rules: true, ...fields });
  return { account, client: account.client, page_id, monitor_id, path, rule, emit };
}

/** The n-th outage of a monitor, announced at `at`. */
function downAt(n: number, at: number, message = "HTTP 503 instead of 2xx"): MonitorTransition {
  const seq = 2 * n;
  return {
    seq,
    from: "up",
    to: "down",
    at,
    effective_at: at,
    message,
    latency_ms: 900,
    region: "default",
    outage: { seq, started_at: at },
    event: "monitor.down",
  };
}

function consume(monitor_id: string, ...transitions: MonitorTransition[]) {
  return consumeEvent(jobScope(recordingEnv().env, "test"), { kind: "transitions", monitor_id, transitions });
}

const firingsOf = (page_id: string) =>
  db
    .select()
    .from(eventLog)
    .where(and(eq(eventLog.status_page_id, page_id), isNotNull(eventLog.rule_id)));

const deliveriesOf = async (webhook_id: string) =>
  (await db.select().from(deliveries).where(eq(deliveries.webhook_id, webhook_id))).map(({ event_name }) => event_name);

describe("a rule on an event of the service", () => {
  it("fires on it, is logged with what its conditions saw, and remembers when", async () => {
    const { client, page_id, monitor_id, path, rule } = await setUp();
    const conditions = [
      { metric: "status_code", operator: "gte", value: 500 },
      { metric: "latency_ms", operator: "gt", value: 500 },
    ];
    const { id } = await rule({ conditions, monitor_id });
    const other = (await createMonitor(client, { status_page_id: page_id })).id;
    await consume(other, downAt(1, T0));
    await consume(monitor_id, downAt(1, T0));
    const [entry, ...more] = (await client.get(`${path}/log?rule_id=${id}`)).body;
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ event_name: "monitor.down", monitor_id, rule_id: id });
    expect(JSON.parse(entry.payload).conditions).toMatchObject([{ actual: 503 }, { actual: 900 }]);
    const [stored] = (await client.get(`${path}/rules`)).body;
    expect(stored.last_fired_at).toBe(new Date(T0).toISOString());
  });

  it("fires once for a transition that arrives twice, and not within its cooldown", async () => {
    const { page_id, monitor_id, rule } = await setUp();
    await rule({ cooldown_seconds: 600 });
    const all = [0, 60_000, 599_999, 600_000].map((ms, n) => downAt(n + 1, T0 + ms));
    for (const transition of all) await consume(monitor_id, transition);
    await consume(monitor_id, ...all);
    expect(await firingsOf(page_id)).toHaveLength(2);
  });

  it("fires live as a backtest says afterwards", async () => {
    const { client, page_id, monitor_id, path, rule } = await setUp();
    const { id } = await rule({ cooldown_seconds: 90, max_fires_per_hour: 3 });
    const offsets = [0, 30, 91, 100, 200, 400, 1000, 3599, 3601];
    for (const [n, seconds] of offsets.entries()) await consume(monitor_id, downAt(n + 1, T0 - HOUR + seconds * 1000));
    const { body } = await client.post(`${path}/rules/${id}/backtest?days=1`);
    expect(body.would_have_fired).toBe((await firingsOf(page_id)).length);
    expect(body.fires).toEqual([0, 91, 200, 3601].map((s) => new Date(T0 - HOUR + s * 1000).toISOString()));
  });

  it("calls its runbook regardless of what the webhook lists, once", async () => {
    const { account, page_id, monitor_id, rule } = await setUp();
    const runbook = await createWebhook(account, { status_page_id: page_id, events: ["nothing.else"] });
    const idle = await createWebhook(account, { status_page_id: page_id, is_active: false });
    const all = await createWebhook(account, { status_page_id: page_id });
    const actions = [runbook, idle, all].map(({ id }) => ({ type: "trigger_runbook", webhook_id: id }));
    await rule({ actions });
    await consume(monitor_id, downAt(1, T0));
    expect(await deliveriesOf(runbook.id)).toEqual(["monitor.down"]);
    expect(await deliveriesOf(idle.id)).toEqual([]);
    expect(await deliveriesOf(all.id)).toEqual(["monitor.down"]);
  });

  it("withholds alerts of its monitor and of no other for as long as it names", async () => {
    const { account, client, page_id, monitor_id, rule } = await setUp();
    const webhook = await createWebhook(account, { status_page_id: page_id });
    const other = (await createMonitor(client, { status_page_id: page_id })).id;
    await rule({
      monitor_id,
      actions: [{ type: "suppress_alerts_for", duration_seconds: 600 }],
      cooldown_seconds: 86_400,
    });
    await consume(monitor_id, downAt(1, T0));
    await consume(monitor_id, downAt(2, T0 + 1000));
    expect(await deliveriesOf(webhook.id)).toEqual([]);
    await consume(other, downAt(1, T0));
    expect(await deliveriesOf(webhook.id)).toEqual(["monitor.down"]);
    await db.update(statusPages).set({ alert_suppressions: { [monitor_id]: Date.now() - 1 } });
    await consume(monitor_id, downAt(3, T0 + 2000));
    expect(await deliveriesOf(webhook.id)).toEqual(["monitor.down", "monitor.down"]);
  });

  it("keeps its event from public webhooks when it is team_only", async () => {
    const { account, page_id, monitor_id, rule } = await setUp();
    const open = await createWebhook(account, { status_page_id: page_id });
    const team = await createWebhook(account, { status_page_id: page_id, is_team_only: true });
    await rule({ classification: "team_only" });
    await consume(monitor_id, downAt(1, T0));
    expect([await deliveriesOf(open.id), await deliveriesOf(team.id)]).toEqual([[], ["monitor.down"]]);
  });

  it("opens an incident from its template once, and its event starts no other rule, live or replayed", async () => {
    const { client, page_id, monitor_id, path, rule } = await setUp();
    const template = await client.post(`${V1}/status-pages/${page_id}/incident-templates`, {
      name: "Down",
      title: "{{monitor}} is down",
      severity: "critical",
      is_public: true,
      initial_update: "{{monitor}} of {{page}} failed at {{time}}.",
    });
    await rule({ incident_template_id: template.body.id });
    const other = await rule({ event_name: "incident.created" });
    await consume(monitor_id, downAt(1, T0));
    await consume(monitor_id, downAt(1, T0));
    const opened = await db.select().from(incidents).where(eq(incidents.status_page_id, page_id));
    expect(opened).toMatchObject([{ title: "Shop is down", severity: "critical", is_public: true, created_by: null }]);
    const incident_id = opened[0]?.id ?? "";
    const updates = await db.select().from(incidentUpdates).where(eq(incidentUpdates.incident_id, incident_id));
    expect(updates).toMatchObject([{ message: `Shop of Page failed at ${formatInstant(T0, "UTC")}.` }]);
    const affected = await db.select().from(incidentMonitors).where(eq(incidentMonitors.incident_id, incident_id));
    expect(affected).toMatchObject([{ monitor_id }]);
    const published = and(eq(events.status_page_id, page_id), eq(events.name, "incident.created"));
    expect(await db.select().from(events).where(published)).toHaveLength(1);
    expect(await firingsOf(page_id)).toHaveLength(1);
    expect((await client.post(`${path}/rules/${other.id}/backtest?days=1`)).body.fires).toEqual([]);
  });

  it("names to the public the composite of a hidden member, and the member to the team", async () => {
    const titles = new Map<boolean, string | undefined>();
    for (const is_public of [true, false]) {
      const { account, client, page_id, monitor_id, rule } = await setUp();
      const composite = { name: "Checkout", type: "composite", target: undefined, child_ids: [monitor_id] };
      await createMonitor(account.client, { ...composite, status_page_id: page_id });
      const template = { name: "Down", title: "{{monitor}} fails", is_public };
      const { body } = await client.post(`${V1}/status-pages/${page_id}/incident-templates`, template);
      await rule({ incident_template_id: body.id });
      await consume(monitor_id, downAt(1, T0));
      const [opened] = await db.select().from(incidents).where(eq(incidents.status_page_id, page_id));
      titles.set(is_public, opened?.title);
    }
    expect(Object.fromEntries(titles)).toEqual({ true: "Checkout fails", false: "Shop fails" });
  });

  it("listens to incidents, too", async () => {
    const { client, page_id, rule } = await setUp();
    await rule({ event_name: "incident.created" });
    await client.post(`${V1}/incidents`, { status_page_id: page_id, title: "Trouble" });
    const waiting = and(eq(events.status_page_id, page_id), eq(events.name, "incident.created"));
    const [event] = await db.select().from(events).where(waiting);
    await consumeEvent(jobScope(recordingEnv().env, "test"), { kind: "event", event_id: event?.id ?? "" });
    expect(await firingsOf(page_id)).toHaveLength(1);
  });

  it("is silent in maintenance unless it says otherwise", async () => {
    const { client, page_id, monitor_id, rule } = await setUp();
    await client.post(`${V1}/maintenance`, {
      status_page_id: page_id,
      title: "Disks",
      is_public: true,
      start_time: new Date(T0 - 1000).toISOString(),
      end_time: new Date(T0 + 2 * HOUR).toISOString(),
      targets: [{ target_type: "monitor", target_id: monitor_id }],
    });
    await rule({ display_name: "silent" });
    await rule({ display_name: "loud", notify_in_maintenance: true });
    await consume(monitor_id, downAt(1, T0));
    expect((await firingsOf(page_id)).map(({ title }) => title)).toEqual(["loud"]);
  });

  const windowOf = (page_id: string, monitor_id: string, end: number) => ({
    status_page_id: page_id,
    title: "Disks",
    start_time: new Date(T0 - 1000).toISOString(),
    end_time: new Date(end).toISOString(),
    targets: [{ target_type: "monitor", target_id: monitor_id }],
  });

  it("sends the alert of an outage in maintenance where it notifies in maintenance, to its audience", async () => {
    const { account, client, page_id, monitor_id, rule } = await setUp();
    const fields = { status_page_id: page_id, events: ["monitor.down"] };
    const [everybody, team] = [
      await createWebhook(account, fields),
      await createWebhook(account, { ...fields, is_team_only: true }),
    ];
    await client.post(`${V1}/maintenance`, windowOf(page_id, monitor_id, Date.now() + HOUR));
    await consume(monitor_id, downAt(1, T0));
    await rule({ notify_in_maintenance: true, classification: "team_only" });
    await consume(monitor_id, downAt(2, T0 + 1000));
    await expect.poll(() => deliveriesOf(team.id)).toEqual(["monitor.down"]);
    expect(await deliveriesOf(everybody.id)).toEqual([]);
  });

  it("fires on an outage that maintenance withheld when its alert is sent, once", async () => {
    const { client, page_id, monitor_id, path, rule } = await setUp();
    await client.post(`${V1}/maintenance`, windowOf(page_id, monitor_id, Date.now() + HOUR));
    await rule({ display_name: "later" });
    await rule({ display_name: "at once", notify_in_maintenance: true });
    await rule({ event_name: "maintenance.ended", display_name: "end" });
    await db.update(monitors).set({ status: "down" }).where(eq(monitors.id, monitor_id));
    await consume(monitor_id, downAt(1, T0));
    expect((await firingsOf(page_id)).map(({ title }) => title)).toEqual(["at once"]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * HOUR });
    const scope = jobScope(recordingEnv().env, "test");
    await sweepMaintenance(scope);
    for (const id of await waitingOn(page_id)) await consumeEvent(scope, { kind: "event", event_id: id });
    for (const _ of [1, 2]) await sweepSuppressions(scope);
    expect((await firingsOf(page_id)).map(({ title }) => title).sort()).toEqual(["at once", "end", "later"]);
    vi.setSystemTime(Date.now() + 1);
    for (const { id, display_name } of (await client.get(`${path}/rules`)).body) {
      const replayed = await client.post(`${path}/rules/${id}/backtest?days=1`);
      expect(replayed.body.would_have_fired, display_name).toBe(1);
    }
  });

  it("listens to the automatic incident of an outage, and not to that of a muted monitor", async () => {
    const { client, page_id, monitor_id, path, rule } = await setUp();
    await client.put(`${V1}/status-pages/${page_id}`, { auto_create_incident: true });
    const { id } = await rule({ event_name: "incident.created" });
    await consume(monitor_id, downAt(1, T0));
    expect(await firingsOf(page_id)).toMatchObject([{ rule_id: id, monitor_id }]);
    const muted = (await createMonitor(client, { status_page_id: page_id })).id;
    await client.put(`${V1}/monitors/${muted}`, { muted_until: new Date(Date.now() + HOUR).toISOString() });
    await consume(muted, downAt(1, T0));
    expect(await firingsOf(page_id)).toHaveLength(1);
    expect((await client.post(`${path}/rules/${id}/backtest?days=1`)).body.would_have_fired).toBe(1);
  });
});

const waitingOn = async (page_id: string) =>
  (
    await db
      .select({ id: events.id })
      .from(events)
      .where(and(eq(events.status_page_id, page_id), isNull(events.processed_at)))
  ).map(({ id }) => id);

describe("a rule with a custom name", () => {
  it("fires when its event is emitted with evaluate_rules, emits in turn, and starts no loop", async () => {
    const { account, page_id, path, client, rule, emit } = await setUp();
    const webhook = await createWebhook(account, { status_page_id: page_id, events: ["deploy.failed"] });
    const { id } = await rule({ event_name: "deploy.failed", display_name: "Deploy", classification: "critical" });
    await emit({ evaluate_rules: false });
    expect(await firingsOf(page_id)).toEqual([]);
    const emitted = await emit();
    const log = (await client.get(`${path}/log`)).body;
    const [firing, ...more] = log.filter((entry: { rule_id: string | null }) => entry.rule_id !== null);
    expect([log.length, more]).toEqual([3, []]);
    expect(firing).toMatchObject({
      event_name: "deploy.failed",
      title: "Deploy",
      classification: "critical",
      rule_id: id,
    });
    expect(JSON.parse(firing.payload).event_id).toBe(emitted.body.id);
    const stored = await db.select().from(events).where(eq(events.status_page_id, page_id));
    expect(stored.filter(({ name }) => name === "deploy.failed")).toHaveLength(3);
    await expect.poll(() => deliveriesOf(webhook.id)).toHaveLength(3);
    expect(await firingsOf(page_id)).toHaveLength(1);
  });

  it.each([
    ["once within its cooldown", { cooldown_seconds: 3600 }, 1],
    ["as often as max_fires_per_hour allows", { max_fires_per_hour: 7 }, 7],
  ])("fires %s when 50 events arrive at once", { timeout: 60_000 }, async (_name, limits, fires) => {
    const { page_id, rule, emit } = await setUp();
    const { id } = await rule({ event_name: "deploy.failed", ...limits });
    const answers = await Promise.all(Array.from({ length: 50 }, () => emit()));
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(201));
    expect(await firingsOf(page_id)).toHaveLength(fires);
    const [row] = await db.select().from(eventRules).where(eq(eventRules.id, id));
    expect(row?.fire_count).toBe(fires);
  });
});

describe("a rule on metrics", () => {
  const FULL = { event_name: "queue.full", conditions: [{ metric: "queue", operator: "gt", value: 10 }] };

  async function withPushes() {
    const stage = await setUp();
    const fields = { type: "api", target: undefined, paused: false, status_page_id: stage.page_id };
    const monitor = await createMonitor(stage.client, fields);
    const headers = { authorization: `Bearer ${monitor.push_key}` };
    const push = (queue: number) =>
      stage.client.post(`${V1}/api-monitoring/push`, { latency_ms: 5, metrics: { queue } }, headers);
    return { ...stage, push, pushed_id: String(monitor.id) };
  }

  it("fires on a push that fulfils it, within its cooldown once however many arrive at once", async () => {
    const { page_id, push, rule, pushed_id } = await withPushes();
    await push(99);
    const { id } = await rule({ ...FULL, cooldown_seconds: 3600 });
    expect((await push(10)).status).toBe(200);
    const answers = await Promise.all(Array.from({ length: 20 }, () => push(11)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    await expect.poll(() => firingsOf(page_id)).toMatchObject([{ event_name: "queue.full", monitor_id: pushed_id }]);
    await push(12);
    const [row] = await db.select().from(eventRules).where(eq(eventRules.id, id));
    expect([row?.fire_count, (await firingsOf(page_id)).length]).toEqual([1, 1]);
  });

  it("is evaluated no more once it is disabled", async () => {
    const { client, page_id, path, push, rule } = await withPushes();
    const { id } = await rule(FULL);
    await push(11);
    await expect.poll(() => firingsOf(page_id)).toHaveLength(1);
    await client.put(`${path}/rules/${id}`, { is_enabled: false });
    expect((await push(11)).status).toBe(200);
    expect(await firingsOf(page_id)).toHaveLength(1);
  });

  it("fires on the metrics of its agent's host", async () => {
    const { client, page_id, rule } = await setUp();
    const { agent_id, headers } = await enroll(client);
    await client.put(`${V1}/agents/${agent_id}`, { status_page_id: page_id });
    await rule({ event_name: "host.hot", agent_id, conditions: [{ metric: "cpu_percent", operator: ">", value: 90 }] });
    await client.post(`${V1}/agents/metrics`, { cpu_percent: 80 }, headers);
    await client.post(`${V1}/agents/metrics`, { cpu_percent: 95 }, headers);
    await expect.poll(() => firingsOf(page_id)).toMatchObject([{ event_name: "host.hot", agent_id }]);
  });
});

async function enroll(client: Awaited<ReturnType<typeof setUp>>["client"]) {
  const install = (await client.get(`${V1}/agents/token`)).body.install_token;
  const { body } = await client.post(`${V1}/agents/enroll`, { name: "Rack" }, { "x-agent-token": install });
  const agent_id: string = body.agent_id;
  return { agent_id, headers: { "x-agent-token": String(body.agent_token) } };
}
