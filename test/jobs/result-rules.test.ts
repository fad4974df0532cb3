import { env } from "cloudflare:workers";
import { and, eq, isNotNull } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { openDb } from "../../src/data/db.ts";
import { eventLog } from "../../src/data/event-rules/table.ts";
import { events } from "../../src/data/events/table.ts";
import { checkGroups, monitors } from "../../src/data/monitors/table.ts";
import { deliveries } from "../../src/data/webhooks/table.ts";
import { checkGroupId } from "../../src/domain/check-schedule.ts";
import { newId } from "../../src/platform/ids.ts";
import { agentClient, enrollAgent } from "../support/agents.ts";
import { runScheduled } from "../support/checks.ts";
import { V1 } from "../support/client.ts";
import { createAccount, createMonitor, createPage } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";
import { consumeOutbox } from "../support/outboxes.ts";
import { recordingEnv } from "../support/queues.ts";
import { createWebhook } from "../support/webhooks.ts";

/** Rules with a name of their own that listen to what the checks of the service and of agents measure. */

const db = openDb(env.DB);
const MINUTE = 60_000;
const outside = vi.spyOn(globalThis, "fetch");
const answerWith = (status: number) => outside.mockImplementation(async () => new Response(null, { status }));

beforeEach(() => {
  answerWith(200);
  vi.useFakeTimers({ toFake: ["Date"], now: Math.floor(Date.now() / MINUTE) * MINUTE });
});
afterEach(() => void vi.useRealTimers());

const EMPTY = { event_name: "shop.empty", conditions: [{ metric: "status_code", operator: "eq", value: 204 }] };

async function aShop() {
  const account = await createAccount();
  const { client } = account;
  const page_id = await createPage(account);
  const path = `${V1}/status-pages/${page_id}/events`;
  const monitor = await insertMonitor(account.user_id, { status_page_id: page_id, created_at: Date.now() - MINUTE });
  const rule = async (fields: Record<string, unknown> = {}): Promise<string> => {
    const answer = await client.post(`${path}/rules`, { ...EMPTY, ...fields });
    expect(answer.status).toBe(201);
    return answer.body.id;
  };
  const log = async () => (await client.get(`${path}/log`)).body;
  return { account, client, page_id, path, monitor, rule, log };
}

/** The next scheduled check, whose target answers with this status. */
async function check({ check_group_id }: { check_group_id: string }, status = 200): Promise<number> {
  vi.setSystemTime(Date.now() + MINUTE);
  answerWith(status);
  const recording = recordingEnv();
  await runScheduled(recording.env, check_group_id, Date.now());
  return Date.now();
}

const firingsOf = (page_id: string) =>
  db
    .select()
    .from(eventLog)
    .where(and(eq(eventLog.status_page_id, page_id), isNotNull(eventLog.rule_id)));

const listens = async (monitor_id: string) =>
  (await db.select().from(monitors).where(eq(monitors.id, monitor_id)))[0]?.has_metric_rules;

describe("a rule with a custom name", () => {
  it("fires on the scheduled check that fulfils it, and sends its event to webhooks", async () => {
    const { account, page_id, monitor, rule, log } = await aShop();
    const webhook = await createWebhook(account, { status_page_id: page_id, events: ["shop.empty"] });
    const id = await rule({ monitor_id: monitor.id, display_name: "Nothing to sell" });
    await check(monitor);
    await check(monitor);
    expect(await log()).toEqual([]);
    const at = new Date(await check(monitor, 204)).toISOString();
    const [entry, ...more] = await log();
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ event_name: "shop.empty", rule_id: id, monitor_id: monitor.id, created_at: at });
    expect(JSON.parse(entry.payload).conditions).toMatchObject([{ actual: 204, passed: true }]);
    const sent = await db.select().from(deliveries).where(eq(deliveries.webhook_id, webhook.id));
    expect(sent).toMatchObject([{ event_name: "shop.empty" }]);
    const [event] = await db
      .select()
      .from(events)
      .where(eq(events.id, sent[0]?.event_id ?? ""));
    const data = { title: "Nothing to sell", monitor_id: monitor.id, rule_id: id };
    expect(event).toMatchObject({ name: "shop.empty", data });
  });

  it("fires on a check on demand", async () => {
    const { client, monitor, rule, log } = await aShop();
    await rule();
    answerWith(204);
    expect((await client.post(`${V1}/monitors/${monitor.id}/check`)).body).toMatchObject({ status: "up" });
    expect(await log()).toMatchObject([{ event_name: "shop.empty", monitor_id: monitor.id }]);
  });

  it("compares the mean over its window, of what was checked before", async () => {
    const { monitor, rule, log } = await aShop();
    await rule({ conditions: [{ metric: "status_code", operator: "gte", value: 202, window_minutes: 3 }] });
    for (const status of [200, 200, 200, 204]) await check(monitor, status);
    expect(await log()).toEqual([]);
    const at = new Date(await check(monitor, 204)).toISOString();
    expect(await log()).toMatchObject([{ created_at: at }]);
  });

  it("fires once within its cooldown for all monitors that one message checks", async () => {
    const { account, page_id, rule, log } = await aShop();
    const shard_id = newId();
    const check_group_id = checkGroupId({ shard_id, interval: 60, regions: [], lane: "normal" });
    const fields = { status_page_id: page_id, shard_id, created_at: Date.now() - MINUTE };
    for (let n = 0; n < 4; n++) await insertMonitor(account.user_id, fields);
    await db.update(monitors).set({ check_group_id }).where(eq(monitors.shard_id, shard_id));
    await db.delete(checkGroups).where(eq(checkGroups.shard_id, shard_id));
    await db.insert(checkGroups).values({ id: check_group_id, shard_id, interval: 60, regions: [], lane: "normal" });
    await rule({ cooldown_seconds: 90 });
    await check({ check_group_id }, 204);
    await check({ check_group_id }, 204);
    expect(await log()).toHaveLength(1);
    await check({ check_group_id }, 204);
    expect(await log()).toHaveLength(2);
  });

  it("is silent in maintenance unless it says otherwise", async () => {
    const { client, page_id, monitor, rule, log } = await aShop();
    await rule();
    const loud = await rule({ notify_in_maintenance: true });
    const window = await client.post(`${V1}/maintenance`, {
      status_page_id: page_id,
      title: "Disks",
      targets: [{ target_type: "monitor", target_id: monitor.id }],
      start_time: new Date(Date.now() - MINUTE).toISOString(),
      end_time: new Date(Date.now() + 60 * MINUTE).toISOString(),
    });
    expect(window.status).toBe(201);
    await check(monitor, 204);
    expect(await log()).toMatchObject([{ rule_id: loud }]);
  });

  it("fires on what an agent measures now, not on what it sends late", async () => {
    const { account, client, page_id, rule, log } = await aShop();
    const agent = await enrollAgent(account);
    const monitor = await insertMonitor(account.user_id, {
      status_page_id: page_id,
      agent_id: agent.id,
      check_group_id: "",
      shard_id: "",
      created_at: Date.now() - 60 * MINUTE,
    });
    await rule({ conditions: [{ metric: "latency_ms", operator: "gt", value: 500 }] });
    const send = (minutesAgo: number, latency_ms: number) =>
      agentClient(agent.token).post(`${V1}/monitors/${monitor.id}/status`, {
        status: "up",
        latency_ms,
        checked_at: new Date(Date.now() - minutesAgo * MINUTE).toISOString(),
      });
    for (const [minutesAgo, latency_ms] of [
      [0, 20],
      [30, 900],
    ] as const) {
      expect((await send(minutesAgo, latency_ms)).status).toBe(200);
    }
    expect(await log()).toEqual([]);
    vi.setSystemTime(Date.now() + MINUTE);
    expect((await send(0, 800)).status).toBe(200);
    expect(await log()).toMatchObject([{ monitor_id: monitor.id }]);
    vi.setSystemTime(Date.now() + MINUTE);
    const [rule_id] = (await log()).map((entry: { rule_id: string }) => entry.rule_id);
    const replay = await client.post(`${V1}/status-pages/${page_id}/events/rules/${rule_id}/backtest?days=2`);
    expect(replay.body.fires).toEqual((await log()).map((entry: { created_at: string }) => entry.created_at));
  });
});

describe("a mean over a window", () => {
  const slow = {
    conditions: [{ metric: "latency_ms", operator: "gte", value: 0, window_minutes: 5 }],
    cooldown_seconds: 0,
  };
  const actualsOf = (log: { payload: string }[]) => log.map(({ payload }) => JSON.parse(payload).conditions[0].actual);

  it("counts each check on demand once", async () => {
    const { client, monitor, rule, log } = await aShop();
    await rule(slow);
    for (const latency of [40, 5000]) {
      vi.setSystemTime(Date.now() + MINUTE);
      outside.mockImplementation(async () => {
        vi.setSystemTime(Date.now() + latency);
        return new Response(null, { status: 200 });
      });
      await client.post(`${V1}/monitors/${monitor.id}/check`);
    }
    expect(actualsOf(await log())).toEqual([2520, 40]);
  });

  it.each([
    true,
    false,
  ])("counts each result of an agent once, from the first on (in one request: %s)", async (atOnce) => {
    const { account, page_id, rule, log } = await aShop();
    const agent = await enrollAgent(account);
    const { id } = await insertMonitor(account.user_id, {
      status_page_id: page_id,
      agent_id: agent.id,
      check_group_id: "",
      shard_id: "",
      created_at: Date.now() - 60 * MINUTE,
    });
    await rule(slow);
    const results = [40, 5000].map((latency_ms, n) => ({
      status: "up",
      latency_ms,
      checked_at: new Date(Date.now() - 20_000 + n * 10_000).toISOString(),
    }));
    for (const body of atOnce ? [results] : results) {
      expect((await agentClient(agent.token).post(`${V1}/monitors/${id}/status`, body)).status).toBe(200);
    }
    expect(actualsOf(await log())).toEqual([2520, 40]);
  });
});

describe("a mean over a window, compared when a status changes", () => {
  const DEGRADED = { event_name: "monitor.degraded", cooldown_seconds: 0 };
  const mean = { conditions: [{ metric: "latency_ms", operator: "gte", value: 0, window_minutes: 5 }] };
  const actuals = async (log: () => Promise<{ payload: string }[]>) =>
    (await log()).map(({ payload }) => JSON.parse(payload).conditions[0].actual);
  const scope = () => jobScope(env, "events");

  it("counts the slow check that degrades it once, whether or not the history has it yet", async () => {
    const { client, monitor, rule, log } = await aShop();
    await rule({ ...DEGRADED, ...mean });
    await client.put(`${V1}/monitors/${monitor.id}`, { latency_threshold_ms: 1000 });
    for (const latency of [40, 5000]) {
      vi.setSystemTime(Date.now() + MINUTE);
      outside.mockImplementation(async () => {
        vi.setSystemTime(Date.now() + latency);
        return new Response(null, { status: 200 });
      });
      await client.post(`${V1}/monitors/${monitor.id}/check`);
    }
    await consumeOutbox(scope(), monitor.id);
    expect(await actuals(log)).toEqual([2520]);
  });

  it("counts a push that degrades it once, and one that its sender repeats", async () => {
    const { client, page_id, rule, log } = await aShop();
    await rule({ ...DEGRADED, ...mean });
    const fields = { type: "api", status_page_id: page_id, latency_threshold_ms: 1000, paused: false };
    const monitor = await createMonitor(client, fields);
    const headers = { authorization: `Bearer ${monitor.push_key}` };
    const start = Date.now() + MINUTE;
    for (const [measured_at, latency_ms] of [
      [start, 40],
      [start, 40],
      [start + 20_000, 5000],
    ] as const) {
      vi.setSystemTime(Math.max(Date.now(), measured_at) + 3000);
      const timestamp = new Date(measured_at).toISOString();
      expect((await client.post(`${V1}/api-monitoring/push`, { latency_ms, timestamp }, headers)).status).toBe(200);
    }
    await consumeOutbox(scope(), String(monitor.id));
    expect(await actuals(log)).toEqual([2520]);
  });
});

describe("a monitor", () => {
  it("is known to be listened to for as long as a rule on metrics may", async () => {
    const { account, client, page_id, path, monitor, rule } = await aShop();
    const other = await insertMonitor(account.user_id, { status_page_id: page_id });
    await rule({ event_name: "monitor.down" });
    await rule({ conditions: [] });
    expect(await listens(monitor.id)).toBe(false);
    const id = await rule({ monitor_id: monitor.id });
    expect([await listens(monitor.id), await listens(other.id)]).toEqual([true, false]);
    await client.put(`${path}/rules/${id}`, { monitor_id: null });
    expect(await listens(other.id)).toBe(true);

    const joined = await createMonitor(client, { status_page_id: page_id });
    expect(await listens(joined.id)).toBe(true);
    await client.put(`${V1}/monitors/${joined.id}`, { status_page_id: null });
    expect(await listens(joined.id)).toBe(false);
    await client.put(`${V1}/monitors/${joined.id}`, { status_page_id: page_id });
    expect(await listens(joined.id)).toBe(true);
    const target = await createPage(account);
    const move = { target_status_page_id: target, monitor_ids: [joined.id] };
    expect((await client.post(`${V1}/status-pages/${page_id}/monitors/migrate`, move)).status).toBe(200);
    expect(await listens(joined.id)).toBe(false);

    await client.put(`${path}/rules/${id}`, { is_enabled: false });
    expect([await listens(monitor.id), await listens(other.id)]).toEqual([false, false]);
    await client.put(`${path}/rules/${id}`, { is_enabled: true });
    expect(await listens(monitor.id)).toBe(true);
    await client.delete(`${path}/rules/${id}`);
    expect(await listens(monitor.id)).toBe(false);
    await check(monitor, 204);
    expect(await firingsOf(page_id)).toEqual([]);
  });
});
