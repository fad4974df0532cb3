import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { monitors, statusIntervals } from "../../src/data/monitors/table.ts";
import { proberObject } from "../../src/platform/prober-objects.ts";
import { type Client, createClient, V1, V2 } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const db = openDb(env.DB);

describe("GET /monitors/{id}/uptime", () => {
  it("gives the seconds of each status by day, today included, and counts nothing for unknown time", async () => {
    const { client, user_id } = await createAccount();
    const today = Math.floor(Date.now() / DAY) * DAY;
    const { id } = await insertMonitor(user_id, { created_at: today - 2 * DAY });
    await db
      .update(statusIntervals)
      .set({ to_at: today - DAY })
      .where(eq(statusIntervals.monitor_id, id));
    await db.insert(statusIntervals).values([
      { monitor_id: id, seq: 1, status: "up", from_at: today - DAY, to_at: today - DAY + 6 * HOUR },
      { monitor_id: id, seq: 2, status: "down", from_at: today - DAY + 6 * HOUR, to_at: today - DAY + 8 * HOUR },
      { monitor_id: id, seq: 3, status: "unknown", from_at: today - DAY + 8 * HOUR, to_at: null },
    ]);
    const answer = await client.get(`${V1}/monitors/${id}/uptime?days=3`);
    expect(answer.status).toBe(200);
    const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);
    const nothing = {
      up_seconds: 0,
      degraded_seconds: 0,
      down_seconds: 0,
      maintenance_seconds: 0,
      uptime_percentage: null,
    };
    expect(answer.body).toEqual([
      { date: dateOf(today - 2 * DAY), ...nothing },
      { date: dateOf(today - DAY), ...nothing, up_seconds: 21_600, down_seconds: 7_200, uptime_percentage: 75 },
      { date: dateOf(today), ...nothing },
    ]);
  });

  it("is a list like any other: in parts, with its total and links", async () => {
    const { client, user_id } = await createAccount();
    const { id } = await insertMonitor(user_id);
    const path = `${V1}/monitors/${id}/uptime`;
    const all = await client.get(`${path}?days=200`);
    expect(all.body).toHaveLength(200);
    const part = await client.get(`${path}?days=200&limit=50&offset=50`);
    expect(part.body).toEqual(all.body.slice(50, 100));
    expect(part.headers.get("x-total-count")).toBe("200");
    expect(part.headers.get("link")).toContain(`<${path}?days=200&limit=50&offset=100>; rel="next"`);
    expect(part.headers.get("link")).toContain(`offset=0>; rel="prev"`);
    expect((await client.get(`${path}?limit=1001`)).status).toBe(400);
  });

  it("goes back as far as the plan of the monitor's owner", async () => {
    const { client, user_id } = await createAccount({ plan: "free" });
    const { id } = await insertMonitor(user_id);
    expect((await client.get(`${V1}/monitors/${id}/uptime?days=400`)).body).toHaveLength(90);
  });

  it.each(["0", "401", "x"])("refuses days=%s", async (days) => {
    const { client, user_id } = await createAccount();
    const { id } = await insertMonitor(user_id);
    expect((await client.get(`${V1}/monitors/${id}/uptime?days=${days}`)).status).toBe(400);
  });

  it("hides a monitor of another account", async () => {
    const { id } = await insertMonitor((await createAccount()).user_id);
    const { client } = await createAccount();
    expect((await client.get(`${V1}/monitors/${id}/uptime`)).status).toBe(404);
    expect((await client.get(`${V1}/monitors/${id}/latency-baseline`)).status).toBe(404);
  });
});

describe("GET /monitors/{id}/results", () => {
  it("gives the results of the probes, newest first, as far back as the plan keeps them", async () => {
    const { client, user_id } = await createAccount({ plan: "free" });
    const { id } = await insertMonitor(user_id);
    const [monitor] = await db.select().from(monitors).where(eq(monitors.id, id));
    const prober = proberObject(env, monitor?.shard_id ?? "", "default");
    const now = Date.now();
    for (const [n, at] of [now - 8 * DAY, now - 6 * DAY, now - HOUR].entries()) {
      const outcome = n === 2 ? ("failure" as const) : ("success" as const);
      const entry = { monitor_id: id, checked_at: at, outcome, latency_ms: n, message: `check ${n}` };
      await prober.record({ slot_at: at, attempt: 0, key: "g", entries: [entry] });
    }
    const { body } = await client.get(`${V1}/monitors/${id}/results`);
    expect(body).toMatchObject([
      { status: "down", latency_ms: 2, message: "check 2", region: "default" },
      { status: "up", latency_ms: 1, message: "check 1" },
    ]);
    expect(body).toHaveLength(2);
    const [first, second] = [
      await client.get(`${V1}/monitors/${id}/results?limit=1`),
      await client.get(`${V1}/monitors/${id}/results?limit=1&offset=1`),
    ];
    expect([first.body, second.body]).toEqual([[body[0]], [body[1]]]);
    expect([first, second].map(({ headers }) => headers.get("x-total-count"))).toEqual(["2", "2"]);
    expect(first.headers.get("link")).toContain('rel="next"');
    expect(second.headers.get("link")).not.toContain('rel="next"');
  });
});

describe("the details of results", () => {
  it("are kept of what is no success and where they changed, with the place that a check ran in", async () => {
    const { client, user_id } = await createAccount();
    const { id } = await insertMonitor(user_id);
    const [monitor] = await db.select().from(monitors).where(eq(monitors.id, id));
    const prober = proberObject(env, monitor?.shard_id ?? "", "default");
    const begin = Date.now() - HOUR;
    const checks = [
      ["success", { players: 3 }],
      ["success", { players: 3 }],
      ["failure", { status_code: 500 }],
      ["success", { players: 3 }],
      ["success", { players: 4 }],
    ] as const;
    for (const [n, [outcome, details]] of checks.entries()) {
      const entry = { monitor_id: id, checked_at: begin + n, outcome, latency_ms: n, message: "", details };
      const colo = n < 3 ? "FRA" : null;
      await prober.record({ slot_at: begin + n, attempt: 0, key: "g", entries: [{ ...entry, colo }] });
    }
    const { body } = await client.get(`${V1}/monitors/${id}/results`);
    expect(body.toReversed().map(({ details, colo }: { details: object; colo: string }) => [details, colo])).toEqual([
      [{ players: 3 }, "FRA"],
      [{}, "FRA"],
      [{ status_code: 500 }, "FRA"],
      [{}, null],
      [{ players: 4 }, null],
    ]);
  });

  it("come with checks on demand", async () => {
    const { client } = await createAccount();
    const { body } = await client.post(`${V1}/monitors`, { name: "Nowhere", type: "tcp", target: "127.0.0.1:1" });
    await client.post(`${V1}/monitors/${body.id}/check`);
    const results = (await client.get(`${V1}/monitors/${body.id}/results`)).body;
    expect(results[0]).toMatchObject({ kind: "check", status: "down", details: {} });
  });
});

describe("GET /monitors/{id}/results of a heartbeat", () => {
  it("gives its beats, with reports about the job by their kind", async () => {
    const { client } = await createAccount();
    const { body } = await client.post(`${V1}/monitors`, { name: "Backup", type: "heartbeat", expected_interval: 60 });
    const beat = (fields: object) =>
      createClient().post(`/heartbeat/${body.id}?token=${body.heartbeat_token}`, { run_id: "one", ...fields });
    for (const fields of [
      { status: "start" },
      { status: "log", message: "half way" },
      { exit_code: 3 },
      { status: "ok" },
    ]) {
      expect((await beat(fields)).status).toBe(200);
    }
    expect((await client.get(`${V1}/monitors/${body.id}/results`)).body).toMatchObject([
      { kind: "check", status: "up", message: "heartbeat received", region: "default" },
      { status: "down", message: "the job ended with exit code 3", details: { run_id: "one", exit_code: 3 } },
      { kind: "log", status: null, message: "half way" },
      { kind: "start", status: null, latency_ms: null },
    ]);
  });
});

describe("GET /monitors/{id}/results of what pushes metrics", () => {
  const thresholds = [{ metric: "queue", operator: "gt", value: 100, status: "down" }];
  const iso = (at: number) => new Date(at).toISOString();
  const resultsOf = async (client: Client, id: string, query = "") =>
    (await client.get(`${V1}/monitors/${id}/results${query}`)).body;

  it("gives each sample with its status, latency, message and times, newest first", async () => {
    const { client } = await createAccount();
    const body = { name: "API", type: "api", thresholds, latency_threshold_ms: 500 };
    const { id, push_key } = (await client.post(`${V1}/monitors`, body)).body;
    const push = (sent: unknown) => createClient(push_key).post(`${V1}/api-monitoring/push`, sent);
    const hour = Date.now() - HOUR;
    await push({ latency_ms: 12, endpoint: "/orders" });
    await push([
      { latency_ms: 900, timestamp: iso(hour) },
      { is_error: true, timestamp: iso(hour + 1) },
      { metrics: { queue: 200, note: "x".repeat(900) }, timestamp: iso(hour + 2) },
    ]);
    const results = await resultsOf(client, id);
    expect(results).toMatchObject([
      { status: "up", latency_ms: 12, region: "default", details: { endpoint: "/orders" } },
      { status: "down", latency_ms: null, message: "queue is 200, down when gt 100", checked_at: iso(hour + 2) },
      { status: "down", message: "the push reports an error", checked_at: iso(hour + 1) },
      { status: "degraded", latency_ms: 900, message: "latency_ms is over 500", checked_at: iso(hour) },
    ]);
    for (const { details } of results) expect(Date.parse(details.received_at)).toBeGreaterThan(hour + 2);
    expect(JSON.stringify(results)).not.toContain("xxx");
    expect(await resultsOf(client, id, "?limit=2")).toHaveLength(2);
    expect(await resultsOf(client, id, `?to=${iso(hour + 1)}`)).toMatchObject([{ status: "degraded" }]);
    expect(await resultsOf(client, id, `?from=${iso(hour + 2)}`)).toHaveLength(2);
    expect(await resultsOf(client, id, "?region=weur")).toEqual([]);
  });

  it("gives those of a game server, too", async () => {
    const { client } = await createAccount();
    const body = { name: "Arena", type: "game_server", game_type: "rust", query_method: "push" };
    const { id, push_key } = (await client.post(`${V1}/monitors`, body)).body;
    await createClient(push_key).post(`${V2}/game-server/push`, { player_count: 3, fps: 60 });
    expect(await resultsOf(client, id)).toMatchObject([
      { status: "up", latency_ms: null, message: "metrics received", details: { player_count: 3, fps: 60 } },
    ]);
  });
});

describe("GET /monitors/{id}/latency-baseline", () => {
  it("counts the hour that goes on, too", async () => {
    const { client, user_id } = await createAccount();
    const { id } = await insertMonitor(user_id);
    const [monitor] = await db.select().from(monitors).where(eq(monitors.id, id));
    const slot_at = Date.now();
    const checked = { monitor_id: id, checked_at: slot_at, outcome: "success" as const, latency_ms: 40 };
    const entries = [{ ...checked, message: "HTTP 200" }];
    await proberObject(env, monitor?.shard_id ?? "", "default").record({ slot_at, attempt: 0, key: "g", entries });
    const { body } = await client.get(`${V1}/monitors/${id}/latency-baseline`);
    expect(body).toMatchObject({ status: "learning", sample_count: 1, min_ms: 40, hourly: [{ sample_count: 1 }] });
    expect(Date.parse(body.updated_at)).toBeLessThanOrEqual(Date.now());
  });

  it("learns by hour of the day", async () => {
    const { client, user_id } = await createAccount();
    const { id } = await insertMonitor(user_id);
    const [monitor] = await db.select().from(monitors).where(eq(monitors.id, id));
    const prober = proberObject(env, monitor?.shard_id ?? "", "default");
    const present = Math.floor(Date.now() / HOUR) * HOUR;
    const empty = await client.get(`${V1}/monitors/${id}/latency-baseline`);
    expect(empty.body).toMatchObject({
      status: "learning",
      sample_count: 0,
      learned_days: 0,
      needed_days: 3,
      mean_ms: null,
      hourly: [],
      updated_at: null,
    });

    for (let n = 0; n < 120; n++) {
      const slot_at = present - 2 * HOUR + n * 60_000;
      const entry = {
        monitor_id: id,
        checked_at: slot_at,
        outcome: "success" as const,
        latency_ms: n < 60 ? 100 : 200,
      };
      await prober.record({ slot_at, attempt: 0, key: "g", entries: [{ ...entry, message: "HTTP 200" }] });
    }
    await prober.record({ slot_at: present, attempt: 0, key: "g", entries: [] });
    const { body } = await client.get(`${V1}/monitors/${id}/latency-baseline`);
    expect(body).toMatchObject({
      monitor_id: id,
      status: "learning",
      sample_count: 120,
      window_days: 14,
      learned_days: 0,
      mean_ms: 150,
      stddev_ms: 50,
      min_ms: 100,
      max_ms: 200,
      updated_at: new Date(present).toISOString(),
    });
    const hours = [present - 2 * HOUR, present - HOUR].map((at) => new Date(at).getUTCHours());
    expect(body.hourly.map(({ hour }: { hour: number }) => hour)).toEqual([...hours].sort((a, b) => a - b));
    expect(body.hourly.find(({ hour }: { hour: number }) => hour === hours[0])).toMatchObject({
      sample_count: 60,
      mean_ms: 100,
    });
  });

  it("is ready when it has learned for three days", async () => {
    const { client, user_id } = await createAccount();
    const { id } = await insertMonitor(user_id);
    const [monitor] = await db.select().from(monitors).where(eq(monitors.id, id));
    const prober = proberObject(env, monitor?.shard_id ?? "", "default");
    const present = Math.floor(Date.now() / HOUR) * HOUR;
    const read = async () => (await client.get(`${V1}/monitors/${id}/latency-baseline`)).body;
    for (let hour = 72; hour >= 1; hour--) {
      if (hour === 2) expect(await read()).toMatchObject({ status: "learning", learned_days: 2.9, needed_days: 3 });
      for (const slot_at of [present - hour * HOUR, present - hour * HOUR + HOUR / 2]) {
        const entry = { monitor_id: id, checked_at: slot_at, outcome: "success" as const, latency_ms: 100 };
        await prober.record({ slot_at, attempt: 0, key: "g", entries: [{ ...entry, message: "HTTP 200" }] });
      }
    }
    expect(await read()).toMatchObject({ status: "ready", learned_days: 3, sample_count: 144 });
  });
});
