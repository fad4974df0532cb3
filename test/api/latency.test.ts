import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import type { CheckOutcome } from "../../src/contract/check.ts";
import type { PhaseTimes } from "../../src/contract/phases.ts";
import type { StoredResult } from "../../src/contract/prober-object.ts";
import { openDb } from "../../src/data/db.ts";
import { findMonitor } from "../../src/data/monitors/read.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { agentHistory, proberObject } from "../../src/platform/prober-objects.ts";
import { aStage } from "../support/agents.ts";
import { type Client, createClient, V1 } from "../support/client.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const db = openDb(env.DB);

const read = (client: Client, id: string, query = "") => client.get(`${V1}/monitors/${id}/latency${query}`);

/** Checks of a monitor as its prober keeps them, oldest first. */
async function check(
  monitor_id: string,
  times: number[],
  latency_ms: number,
  region = "default",
  phases?: PhaseTimes | undefined,
) {
  const monitor = await findMonitor(db, monitor_id);
  const object = proberObject(env, monitor?.shard_id ?? "", region);
  for (const at of times) {
    const entry = { monitor_id, checked_at: at, outcome: "success" as const, latency_ms, message: "HTTP 200" };
    await object.record({ slot_at: at, attempt: 0, key: "g", entries: [{ ...entry, ...(phases && { phases }) }] });
  }
}

const every = (step: number, from: number, to: number) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, n) => from + n * step);

describe("GET /monitors/{id}/latency", () => {
  it("gives median, 95th percentile, maximum and number of checks of each step", async () => {
    const { client, user_id } = await createAccount();
    const { id } = await insertMonitor(user_id);
    const quarter = Math.floor(Date.now() / (15 * MINUTE)) * 15 * MINUTE - HOUR;
    await check(id, [quarter, quarter + 1000, quarter + 2000], 100);
    await check(id, [quarter + 3000], 900);
    await check(id, [quarter + 15 * MINUTE], 50);
    const { body } = await read(client, id);
    const iso = (at: number) => new Date(at).toISOString();
    expect(body).toEqual({
      period: "24h",
      step_seconds: 900,
      points: [
        { at: iso(quarter), p50_ms: expect.any(Number), p95_ms: 900, max_ms: 900, checks: 4, phases: null },
        { at: iso(quarter + 15 * MINUTE), p50_ms: 50, p95_ms: 50, max_ms: 50, checks: 1, phases: null },
      ],
    });
    expect(Math.abs(body.points[0].p50_ms - 100)).toBeLessThanOrEqual(5);
  });

  it("keeps 90 days, of which the longest period reads a few hundred rows", async () => {
    const { client, user_id } = await createAccount();
    const { id } = await insertMonitor(user_id);
    const now = Date.now();
    await check(id, every(2 * HOUR, now - 92 * DAY, now), 30);
    for (const [period, seconds, points] of [
      ["7d", 3600, 84],
      ["30d", 21_600, 120],
      ["90d", 86_400, 90],
    ] as const) {
      const { body } = await read(client, id, `?period=${period}`);
      expect([period, body.step_seconds]).toEqual([period, seconds]);
      expect(Math.abs(body.points.length - points)).toBeLessThanOrEqual(1);
      const checks = body.points.reduce((sum: number, point: { checks: number }) => sum + point.checks, 0);
      expect(Math.abs(checks - Number.parseInt(period, 10) * 12)).toBeLessThanOrEqual(12);
    }
    const monitor = await findMonitor(db, id);
    const stub = env.PROBER.get(env.PROBER.idFromName(`${monitor?.shard_id}/default`));
    await runInDurableObject(stub, (_object, { storage }) => {
      const rows = ["spans", "hours"].map(
        (table) => storage.sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).one().n,
      );
      expect(rows[0]).toBeLessThanOrEqual(4 * 91);
      expect(rows[1]).toBeLessThanOrEqual(24 * 15);
    });
  });

  it("is of one region where that is asked for", async () => {
    const { client, user_id } = await createAccount();
    const { id } = await insertMonitor(user_id, { regions: ["weur", "enam"] });
    await check(id, [Date.now() - HOUR], 10, "weur");
    await check(id, [Date.now() - HOUR], 200, "enam");
    const of = async (query: string) =>
      (await read(client, id, query)).body.points.map(({ max_ms }: { max_ms: number }) => max_ms);
    expect(await of("")).toEqual([200]);
    expect(await of("?region=weur")).toEqual([10]);
    expect(await of("?region=apac")).toEqual([]);
    for (const query of ["?region=moon", "?period=1y"]) expect((await read(client, id, query)).status).toBe(400);
  });

  it("hides a monitor of another account", async () => {
    const { id } = await insertMonitor((await createAccount()).user_id);
    expect((await read((await createAccount()).client, id)).status).toBe(404);
  });
});

describe("the phases of checks over time", () => {
  const AGENT_S = [2, 10, 20, 60, 8, null];
  const EDGE_S = [3, null, null, null, null, 97];
  const none = { connect_ms: null, tls_ms: null, first_byte_ms: null, transfer_ms: null };

  it("are means of each step, for as long as latency is kept, and undivided where the edge checked", async () => {
    const { client, user_id } = await createAccount();
    const { id } = await insertMonitor(user_id);
    const now = Math.floor(Date.now() / HOUR) * HOUR;
    await check(id, every(2 * HOUR, now - 10 * DAY, now + 1), 100, "default", EDGE_S);
    for (const period of ["24h", "7d", "30d"]) {
      const { points } = (await read(client, id, `?period=${period}`)).body;
      expect(points.length).toBeGreaterThan(10);
      for (const { phases, checks } of points) {
        expect(phases, period).toEqual({ lookup_ms: 3, ...none, undivided_ms: 97, checks });
      }
    }
  });

  it("are shown where there is more than one, and not where the edge had no name to look up", async () => {
    const account = await createAccount();
    const browser = await browserOf(account);
    const now = Date.now();
    const shown: boolean[] = [];
    for (const phases of [EDGE_S, [null, null, null, null, null, 97]]) {
      const { id } = await insertMonitor(account.user_id);
      await check(id, every(15 * MINUTE, now - HOUR, now), 100, "default", phases);
      shown.push((await browser.open(`/app/monitors/${id}`)).text.includes("Where the time goes"));
    }
    expect(shown).toEqual([true, false]);
  });

  it("are those that an agent sends with its results, and shown in the dashboard as areas and as a table", async () => {
    const { account, agent, monitor } = await aStage();
    const results = [0, 1, 2].map((n) => ({
      monitor_id: monitor.id,
      status: n === 2 ? "down" : "up",
      latency_ms: 100,
      checked_at: new Date(Date.now() - (40 - 18 * n) * MINUTE).toISOString(),
      phases: AGENT_S,
    }));
    expect((await agent.client.post(`${V1}/agents/results`, { results })).status).toBe(200);
    const { points } = (await read(account.client, monitor.id)).body;
    const means = { lookup_ms: 2, connect_ms: 10, tls_ms: 20, first_byte_ms: 60, transfer_ms: 8, undivided_ms: null };
    expect(points.map(({ phases }: { phases: unknown }) => phases)).toEqual([
      { ...means, checks: 1 },
      { ...means, checks: 1 },
    ]);
    const { text } = await (await browserOf(account)).open(`/app/monitors/${monitor.id}`);
    expect(text).toContain("Where the time goes");
    expect(text.match(/class="chart-area is-/g)).toHaveLength(5);
    expect(text).toMatch(/<th scope="row">Mean<\/th><td class="num">2 ms<\/td><td class="num">10 ms</);
    expect(text).not.toContain("cannot be divided");
    const refused = { results: [{ ...results[0], phases: [1, 2] }] };
    expect((await agent.client.post(`${V1}/agents/results`, refused)).status).toBe(400);
  });

  it("cost no further rows", async () => {
    const written: number[] = [];
    for (const phases of [undefined, EDGE_S]) {
      const { id } = await insertMonitor((await createAccount()).user_id);
      const monitor = await findMonitor(db, id);
      const now = Math.floor(Date.now() / HOUR) * HOUR;
      const count = () =>
        runInDurableObject(
          env.PROBER.get(env.PROBER.idFromName(`${monitor?.shard_id}/default`)),
          (_object, { storage }) => storage.sql.exec("SELECT total_changes() AS n").one().n as number,
        );
      const before = await count();
      await check(id, every(HOUR / 4, now - DAY, now), 100, "default", phases);
      written.push((await count()) - before);
    }
    expect(written[0]).toBeGreaterThan(24);
    expect(written[1]).toBe(written[0]);
  });
});

describe("the latency of pushed monitors", () => {
  it("is that of their successes, by the hour, and makes their baseline", async () => {
    const { client } = await createAccount();
    const { body: api } = await client.post(`${V1}/monitors`, { name: "API", type: "api" });
    const push = (body: unknown) => createClient(api.push_key).post(`${V1}/api-monitoring/push`, body);
    const hour = Math.floor(Date.now() / HOUR) * HOUR;
    const sample = (at: number, latency_ms: number, more = {}) => {
      return { latency_ms, timestamp: new Date(at).toISOString(), ...more };
    };
    await push([sample(hour - 2 * HOUR, 40), sample(hour - HOUR, 80), sample(hour - HOUR, 999, { is_error: true })]);
    const { body } = await read(client, api.id);
    expect(body.step_seconds).toBe(3600);
    expect(body.points.map(({ max_ms }: { max_ms: number }) => max_ms)).toEqual([40, 80]);
    const baseline = (await client.get(`${V1}/monitors/${api.id}/latency-baseline`)).body;
    expect(baseline).toMatchObject({ sample_count: 2, min_ms: 40, max_ms: 80 });
  });

  it("outlasts the pushes that are kept whole", async () => {
    const { client } = await createAccount();
    const body = { name: "Job", type: "heartbeat", expected_interval: 60 };
    const { id, heartbeat_token } = (await client.post(`${V1}/monitors`, body)).body;
    const job = createClient();
    for (let n = 0; n < 1100; n++) await job.get(`/heartbeat/${id}?token=${heartbeat_token}&duration_ms=25`);
    const { points } = (await read(client, id)).body;
    expect(points.reduce((sum: number, { checks }: { checks: number }) => sum + checks, 0)).toBe(1100);
  });
});

describe("the latency that agents measured", () => {
  const count = (points: { checks: number }[]) => points.reduce((sum, { checks }) => sum + checks, 0);

  it("is added up by the hour, with what came late, and makes the baseline", async () => {
    const { account, agent, monitor } = await aStage();
    await db
      .update(monitors)
      .set({ measured_by: [agent.id] })
      .where(eq(monitors.id, monitor.id));
    const today = Math.floor(Date.now() / DAY) * DAY;
    const entry = (checked_at: number, outcome: CheckOutcome = "success"): StoredResult => {
      return { monitor_id: monitor.id, checked_at, outcome, latency_ms: 20, message: "HTTP 200" };
    };
    const history = agentHistory(env, agent.id);
    for (const from of every(HOUR, today - 5 * DAY, today)) {
      const times = every(10 * MINUTE, from, from + HOUR);
      const entries = times.map((at, n) => entry(at, n === 5 ? "failure" : "success"));
      expect((await history.add(entries, [])).added).toBe(6);
    }
    const series = async () => (await read(account.client, monitor.id, "?period=7d")).body.points;
    expect(count(await series())).toBe(5 * 120);
    const late = { ...entry(today - 10 * HOUR + 1), latency_ms: 900, is_late: true };
    expect((await history.add([late, late], [])).added).toBe(1);
    expect((await history.add([late], [])).added).toBe(0);
    expect(count(await series())).toBe(5 * 120 + 1);
    expect(count((await read(account.client, monitor.id, "?period=30d")).body.points)).toBe(5 * 120 + 1);
    const baseline = (await account.client.get(`${V1}/monitors/${monitor.id}/latency-baseline`)).body;
    expect(baseline).toMatchObject({ status: "ready", sample_count: 601, min_ms: 20, max_ms: 900 });
  });
});

describe("the list of monitors in the dashboard", () => {
  it("draws the day of each monitor in its row, and asks every object once for all of its monitors", async () => {
    const account = await createAccount();
    const shard_id = newId();
    const inserted = ["A", "B", "C"].map((name) => insertMonitor(account.user_id, { name, shard_id }));
    const [one, other] = await Promise.all(inserted);
    const hour = Math.floor(Date.now() / HOUR) * HOUR;
    for (const slot_at of [hour - 2 * HOUR, hour - HOUR]) {
      const found = { checked_at: slot_at, outcome: "success" as const, latency_ms: 100, message: "" };
      const entries = [one, other].map((monitor) => ({ ...found, monitor_id: String(monitor?.id) }));
      await proberObject(env, shard_id, "default").record({ slot_at, attempt: 0, key: "g", entries });
    }
    const browser = await browserOf(account);
    const asked = vi.spyOn(env.PROBER, "getByName");
    const { text } = await browser.open("/app/monitors");
    expect(asked.mock.calls.map(([name]) => name)).toEqual([`${shard_id}/default`]);
    expect(text.match(/class="sparkline"/g)).toHaveLength(3);
    expect(text.match(/<path d="M88 12L92 12"/g)).toHaveLength(2);
    expect(text).not.toContain("latency.svg");
  });
});
