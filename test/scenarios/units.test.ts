import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { planMinute } from "../../src/checks/planner.ts";
import { agents } from "../../src/data/agents/table.ts";
import { openDb } from "../../src/data/db.ts";
import { monitorLocations } from "../../src/data/locations/table.ts";
import { checkGroups, monitors, plannedMinutes } from "../../src/data/monitors/table.ts";
import { sweepCursors } from "../../src/data/sweep-cursors/table.ts";
import { checkGroupId } from "../../src/domain/check-schedule.ts";
import { consumeEvent } from "../../src/events/consume.ts";
import type { Env } from "../../src/platform/env.ts";
import { newId } from "../../src/platform/ids.ts";
import { buildPayload } from "../../src/status-page/payload.ts";
import { sweepDailyAggregates } from "../../src/sweeps/daily-aggregates.ts";
import worker from "../../src/worker.ts";
import { enrollAgent } from "../support/agents.ts";
import { runScheduled } from "../support/checks.ts";
import { createClientUnder, V1 } from "../support/client.ts";
import { meter, settledCheck, type Units } from "../support/cost-meter.ts";
import { createAccount, createMonitor } from "../support/factories.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { dropAlarm } from "../support/pushes.ts";
import { recordingEnv } from "../support/queues.ts";
import { recordStatements } from "../support/statements.ts";

/** What actions cost in billed units. The limits may fall, never rise. */

const MEMBERS = 30;
const db = openDb(env.DB);
const outside = vi.spyOn(globalThis, "fetch");
beforeEach(() => {
  // Whom a host name leads to is read again after ten seconds, and the use of a token is noted once a minute.
  vi.useFakeTimers({ toFake: ["Date"] });
  outside.mockReset().mockImplementation(async () => new Response("ok"));
});
afterEach(() => vi.useRealTimers());

/** Thirty monitors of one group, as the API places them. */
async function aFullGroup() {
  const { user_id } = await createAccount();
  await db.delete(checkGroups);
  await db.delete(plannedMinutes);
  const shard_id = newId();
  const group_id = checkGroupId({ shard_id, interval: 60, regions: [], lane: "normal" });
  const ids: string[] = [];
  for (let n = 0; n < MEMBERS; n++) {
    const created_at = Date.now() - 3_600_000;
    ids.push((await insertMonitor(user_id, { shard_id, check_group_id: group_id, created_at })).id);
  }
  await db.delete(checkGroups);
  await db.insert(checkGroups).values({ id: group_id, shard_id, interval: 60, regions: [], lane: "normal" });
  return { group_id, ids };
}

let slot = 0;

/** All within one hour, at whose end its daily aggregate is a row of its own; what is made from here on, exists in them. */
function beginSlots(): void {
  slot = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 600_000;
  vi.setSystemTime(slot);
}

/** In time: a message that comes after the next slot is dropped. */
async function runSlot(metered: Env, group_id: string) {
  slot += 60_000;
  vi.setSystemTime(slot);
  await runScheduled(metered, group_id, slot);
}

const perCheck = (units: Units) =>
  Object.fromEntries(Object.entries(units).map(([name, count]) => [name, Math.round((count / MEMBERS) * 1000) / 1000]));

function expectAtMost(units: Record<string, number>, limits: Record<string, number>): void {
  const over = Object.entries(units).filter(([name, count]) => count > (limits[name] ?? 0));
  expect(over, `units: ${JSON.stringify(units)}`).toEqual([]);
}

describe("a settled check", () => {
  it("costs at most 1.2 rows read and a twentieth of everything that is written, called or sent", async () => {
    beginSlots();
    const { group_id, ids } = await aFullGroup();
    await runSlot(env, group_id);
    // The runtime fires alarms by its own clock: on a busy machine those of the first results would be metered, too.
    for (const id of ids) await dropAlarm(id);
    expect(await db.select().from(monitors).where(eq(monitors.settled, false))).toEqual([]);
    await runSlot(env, group_id);
    const units = await meter((metered) => runSlot(metered, group_id));
    expectAtMost(perCheck({ ...units, messages: Math.min(1, units.messages) }), { ...settledCheck(MEMBERS) });
  });
});

describe("the planning of a minute", () => {
  it("costs at most five rows read more for each further group of checks, and writes one row", async () => {
    beginSlots();
    const { ids } = await aFullGroup();
    const plan = async (metered: Env) => {
      slot += 60_000;
      vi.setSystemTime(slot);
      await planMinute(jobScope(metered, "test"), slot);
    };
    await plan(env);
    const one = await meter(plan);
    const shard_id = newId();
    const second = checkGroupId({ shard_id, interval: 60, regions: [], lane: "normal" });
    await db
      .update(monitors)
      .set({ check_group_id: second })
      .where(eq(monitors.id, ids[0] ?? ""));
    await plan(env);
    const two = await meter(plan);
    expectAtMost({ ...one, messages: 0 }, { rows_read: 20, rows_written: 1 });
    expectAtMost({ ...two, messages: 0 }, { rows_read: one.rows_read + 5, rows_written: 1 });
  });
});

describe("results that an agent sends in bulk", () => {
  it("cost the same however many there are: one row, one call, one row of the history", async () => {
    vi.setSystemTime(Math.floor(Date.now() / 3_600_000) * 3_600_000);
    const account = await createAccount();
    const agent = await enrollAgent(account);
    const ids: string[] = [];
    for (let n = 0; n < MEMBERS; n++) {
      ids.push((await insertMonitor(account.user_id, { agent_id: agent.id, check_group_id: "" })).id);
    }
    const send = async (bindings: Env, perMonitor: number) => {
      const checked_at = (n: number) => new Date(Date.now() - n).toISOString();
      const results = ids.flatMap((monitor_id) =>
        Array.from({ length: perMonitor }, (_, n) => ({ monitor_id, status: "up", checked_at: checked_at(n) })),
      );
      const headers = { "x-agent-token": agent.token, "content-type": "application/json" };
      const body = JSON.stringify({ results });
      const init = { method: "POST", headers, body };
      const ctx = createExecutionContext();
      const response = await worker.fetch(new Request(`http://vigil.test${V1}/agents/results`, init), bindings, ctx);
      expect(await response.json()).toEqual({ accepted: results.length, rejected: [] });
      await waitOnExecutionContext(ctx);
    };
    await send(env, 1);
    const costs = [];
    for (const perMonitor of [1, 15]) {
      vi.setSystemTime(Date.now() + 1000);
      costs.push(await meter((metered) => send(metered, perMonitor)));
    }
    expect(costs[1]).toEqual(costs[0]);
    expectAtMost(
      { ...costs[1] },
      { rows_read: MEMBERS + 6, rows_written: 1, object_requests: 1, object_rows_written: 1 },
    );
  });
});

describe("votes that a location sends in bulk", () => {
  it("cost one row read each, and for all of them five rows read, three written and one call, while nothing changes", async () => {
    vi.setSystemTime(Math.floor(Date.now() / 3_600_000) * 3_600_000);
    const account = await createAccount();
    const agent = await enrollAgent(account);
    await db.update(agents).set({ is_location: true }).where(eq(agents.id, agent.id));
    const locations = [`agent:${agent.id}`];
    const ids: string[] = [];
    for (let n = 0; n < MEMBERS; n++) {
      ids.push((await insertMonitor(account.user_id, { locations, check_group_id: "", shard_id: "" })).id);
    }
    await db.insert(monitorLocations).values(ids.map((monitor_id) => ({ agent_id: agent.id, monitor_id })));
    const send = async (bindings: Env) => {
      vi.setSystemTime(Date.now() + 60_000);
      const results = ids.map((monitor_id) => ({ monitor_id, status: "up", checked_at: new Date().toISOString() }));
      const headers = { "x-agent-token": agent.token, "content-type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify({ results }) };
      const ctx = createExecutionContext();
      const response = await worker.fetch(new Request(`http://vigil.test${V1}/agents/results`, init), bindings, ctx);
      expect(await response.json()).toEqual({ accepted: MEMBERS, rejected: [] });
      await waitOnExecutionContext(ctx);
    };
    await send(env);
    for (const id of ids) await dropAlarm(id);
    await send(env);
    const { rows_read, rows_written, object_requests } = await meter(send);
    expectAtMost(
      { rows_read, rows_written, object_requests },
      { rows_read: MEMBERS + 5, rows_written: 3, object_requests: 1 },
    );
  });
});

describe("a public page", () => {
  it("costs at most two rows read and no KV operation while the isolate knows it", async () => {
    const { user_id } = await createAccount();
    const slug = `p-${newId().slice(-12)}`;
    await insertPage(user_id, { slug });
    const view = (bindings: Env) => call(bindings, `/status/${slug}/summary.json`);
    await view(env);
    expectAtMost({ ...(await meter(view)) }, { rows_read: 2 });
  });
});

describe("a page of monitors that flapped for 90 days", () => {
  const DAY = 86_400_000;
  const SHOWN = 20;
  const CHANGES_A_DAY = 24;

  /** Until five days ago; since then they are up. */
  async function aFlappingPage() {
    const { user_id } = await createAccount();
    await db.delete(monitors);
    const now = Date.parse("2026-11-21T12:00:00Z");
    const page_id = await insertPage(user_id, { timezone: "America/New_York" });
    const created_at = now - 91 * DAY;
    for (let n = 0; n < SHOWN; n++) await insertMonitor(user_id, { status_page_id: page_id, created_at });
    await env.DB.prepare(
      `INSERT INTO status_intervals (monitor_id, seq, status, from_at, to_at)
        WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?3)
        SELECT id, n, CASE n % 2 WHEN 1 THEN 'up' ELSE 'down' END, ?2 + (n - 1) * ?4, iif(n = ?3, NULL, ?2 + n * ?4)
        FROM monitors JOIN n WHERE status_page_id = ?1`,
    )
      .bind(page_id, created_at, 86 * CHANGES_A_DAY - 1, DAY / CHANGES_A_DAY)
      .run();
    return { page_id, now };
  }

  it("costs at most thirteen rows read for each of them, and one row written for each a day", async () => {
    const { page_id, now } = await aFlappingPage();
    const build = (bindings: Env) => buildPayload(openDb(bindings.DB), page_id, now);
    const aggregateAt = (at: number) => async (bindings: Env) => {
      await db.delete(sweepCursors);
      await sweepDailyAggregates({ ...jobScope(bindings, "test"), now: at });
    };
    const before = await build(env);
    for (let n = 0; n < 3; n++) await aggregateAt(now)(env);
    expectAtMost({ ...(await meter(build)) }, { rows_read: 13 * SHOWN });
    expect(await build(env)).toEqual(before);
    const { rows_written } = await meter(aggregateAt(now + DAY));
    expectAtMost({ rows_written }, { rows_written: SHOWN + 2 });
  }, 20_000);
});

describe("an authenticated list of n monitors", () => {
  it("costs n rows and a few, regardless of what else the account has", async () => {
    const { user_id, token } = await createAccount();
    const status_page_id = await insertPage(user_id);
    for (let n = 0; n < 25; n++) await insertMonitor(user_id, n < 10 ? { status_page_id } : {});
    const list = (query: string) => (bindings: Env) => call(bindings, `${V1}/monitors${query}`, token);
    await list("")(env);
    expectAtMost({ ...(await meter(list(`?status_page_id=${status_page_id}`))) }, { rows_read: 53 });
    expectAtMost({ ...(await meter(list("?limit=5"))) }, { rows_read: 47 });
  });
});

describe("an order of n monitors", () => {
  it("reads them once, together, and refuses more than a thousand ids without reading any", async () => {
    const { user_id, token, client } = await createAccount();
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) ids.push((await insertMonitor(user_id)).id);
    const body = { monitors: ids.map((id, order) => ({ id, order })) };
    const put = (bindings: Env) => call(bindings, `${V1}/monitors/order`, token, body);
    expectAtMost({ ...(await meter(put)) }, { rows_read: 223, rows_written: 87 });
    const flood = { monitors: Array.from({ length: 1001 }, (_, order) => ({ id: newId(), order })) };
    expect(await client.put(`${V1}/monitors/order`, flood)).toMatchObject({
      status: 400,
      body: { error: "monitors[].id must have at most 1000 items" },
    });
  });
});

describe("event rules", () => {
  const RULES = 4;

  /** A page with a checked and a pushed monitor; pages of others have rules, too. */
  async function aPage({ hasRules }: { hasRules: boolean }) {
    const account = await createAccount();
    const page_id = await insertPage(account.user_id);
    const path = `${V1}/status-pages/${page_id}/events/rules`;
    const conditions = [{ metric: "queue", operator: "gt", value: 1000 }];
    for (let n = 0; n < (hasRules ? RULES : 0); n++) {
      await account.client.post(path, { event_name: "queue.full", conditions });
      await account.client.post(path, { event_name: "monitor.down", conditions });
    }
    const { id } = await insertMonitor(account.user_id, { status_page_id: page_id });
    const fields = { type: "api", target: undefined, paused: false, status_page_id: page_id };
    const pushed = await createMonitor(account.client, fields);
    return { id, pushed };
  }
  type Page = Awaited<ReturnType<typeof aPage>>;

  const transition = ({ id }: Page, bindings: Env, seq: number) => {
    const at = Date.now();
    return consumeEvent(jobScope(bindings, "test"), {
      kind: "transitions",
      monitor_id: id,
      transitions: [
        {
          seq,
          from: "up",
          to: "down",
          at,
          effective_at: at,
          message: "m",
          latency_ms: 1,
          region: "r",
          outage: { seq, started_at: at },
          event: "monitor.down",
        },
      ],
    });
  };

  async function push({ pushed }: Page, bindings: Env) {
    const client = createClientUnder({ DB: bindings.DB }, pushed.push_key);
    const { status } = await client.post(`${V1}/api-monitoring/push`, { latency_ms: 5, metrics: { queue: 1 } });
    expect(status).toBe(200);
  }

  async function record(run: (bindings: Env) => Promise<unknown>) {
    const { DB, record: recorded } = recordStatements();
    await run(recordingEnv({ DB }).env);
    return { ...recorded, ofRules: recorded.statements.filter((text) => text.includes("event_rules")) };
  }

  it("cost a transition no query on a page without rules, and one indexed read on a page with some", async () => {
    const [without, having] = [await aPage({ hasRules: false }), await aPage({ hasRules: true })];
    const [none, one] = [
      await record((bindings) => transition(without, bindings, 1)),
      await record((bindings) => transition(having, bindings, 1)),
    ];
    expect(none.ofRules).toEqual([]);
    expect([one.ofRules.length, one.trips - none.trips]).toEqual([1, 1]);
    const reads = async (page: Page, seq: number) =>
      (await meter((bindings) => transition(page, bindings, seq))).rows_read;
    const [before, after] = [await reads(without, 3), await reads(having, 3)];
    // Every rule of the page by its index, none of another page.
    expect(after - before).toBeLessThanOrEqual(2 * (2 * RULES + 1));
    expect(await explain(one.ofRules[0] ?? "")).toEqual([expect.stringContaining("USING INDEX event_rules_page")]);
  });

  it("cost checks no query on a page without rules on metrics, and one round trip for all of a message with some", async () => {
    beginSlots();
    const account = await createAccount();
    const page_id = await insertPage(account.user_id);
    const { group_id } = await aFullGroup();
    await db.update(monitors).set({ status_page_id: page_id, owner_id: account.user_id });
    const path = `${V1}/status-pages/${page_id}/events/rules`;
    const conditions = [{ metric: "status_code", operator: "gt", value: 1000 }];
    const post = async (event_name: string) =>
      expect((await account.client.post(path, { event_name, conditions })).status).toBe(201);
    await post("monitor.down");
    for (let n = 0; n < 2; n++) await runSlot(env, group_id);
    const none = await record((bindings) => runSlot(bindings, group_id));
    expect(none.ofRules).toEqual([]);
    for (let n = 0; n < RULES; n++) await post("shop.odd");
    const some = await record((bindings) => runSlot(bindings, group_id));
    expect([some.ofRules.length, some.trips - none.trips]).toEqual([1, 1]);
    expect(await explain(some.ofRules[0] ?? "")).toContainEqual(
      expect.stringContaining("USING INDEX event_rules_page"),
    );
  });

  it("cost a push no query on a page without rules, and one round trip on a page with some", async () => {
    const [without, having] = [await aPage({ hasRules: false }), await aPage({ hasRules: true })];
    for (const page of [without, having]) await push(page, env);
    const none = await record((bindings) => push(without, bindings));
    expect([none.statements, none.trips]).toEqual([[], 0]);
    const one = await record((bindings) => push(having, bindings));
    expect([one.ofRules.length, one.trips]).toEqual([1, 1]);
    expect(await explain(one.ofRules[0] ?? "")).toContainEqual(expect.stringContaining("USING INDEX event_rules_page"));
  });
});

/** How SQLite finds the rows of a statement, with any bound values. */
async function explain(statement: string): Promise<string[]> {
  const bound = [...statement.matchAll(/\?/g)].map(() => "");
  const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${statement}`)
    .bind(...bound)
    .all<{ detail: string }>();
  return results.map(({ detail }) => detail).filter((detail) => detail.includes("event_rules"));
}

async function call(bindings: Env, path: string, token?: string, body?: unknown) {
  const headers =
    token === undefined ? undefined : { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const init = body === undefined ? { headers } : { headers, method: "PUT", body: JSON.stringify(body) };
  const ctx = createExecutionContext();
  const response = await worker.fetch(new Request(`http://vigil.test${path}`, init), bindings, ctx);
  expect(response.status).toBe(200);
  await response.text();
  await waitOnExecutionContext(ctx);
}
