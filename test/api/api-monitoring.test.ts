import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createClient, V1, V2 } from "../support/client.ts";
import { type Account, createAccount, createMonitor } from "../support/factories.ts";
import { holdClock, keptOf, moveClock, type Pushed } from "../support/pushes.ts";

const HOUR_MS = 3_600_000;

let account: Account;
let monitor: Pushed;
const createApi = (fields = {}): Promise<Pushed> =>
  createMonitor(account.client, { name: "Checkout", type: "api", target: undefined, paused: false, ...fields });
beforeEach(async () => {
  holdClock();
  account = await createAccount();
  monitor = await createApi({ degraded_timeout_seconds: 60 });
});
afterEach(() => {
  vi.useRealTimers();
});

const push = (body: unknown, base = V1) => createClient(monitor.push_key).post(`${base}/api-monitoring/push`, body);
const detail = (path = "") => account.client.get(`${V1}/api-monitoring/monitors/${monitor.id}${path}`);
const configure = (body: unknown) => account.client.put(`${V1}/api-monitoring/monitors/${monitor.id}/config`, body);

describe("an API push", () => {
  it.each([V1, V2])("under %s is answered with what the monitor is now", async (base) => {
    expect(
      await push({ endpoint: "/pay", method: "POST", status_code: 200, latency_ms: 81, is_error: false }, base),
    ).toMatchObject({
      status: 200,
      body: { ok: true, monitor_id: monitor.id, status: "up", received_at: new Date().toISOString() },
    });
  });

  it("may be a list of up to 100", async () => {
    const list = (length: number) => Array.from({ length }, (_, n) => ({ latency_ms: n }));
    expect((await push(list(100))).status).toBe(200);
    expect((await push(list(101))).status).toBe(400);
    expect((await push([])).status).toBe(400);
    expect((await detail("/metrics")).body.recent).toHaveLength(100);
  });

  it.each<[string, number, unknown]>([
    ["nothing but that it lives", 200, {}],
    ["50 metrics", 200, { metrics: Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`m${n}`, n])) }],
    ["51 metrics", 400, { metrics: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`m${n}`, n])) }],
    ["a name of 64 characters", 200, { metrics: { ["a.b:c-d_".repeat(8)]: 1 } }],
    ["a name of 65 characters", 400, { metrics: { [`x${"a.b:c-d_".repeat(8)}`]: 1 } }],
    ["a name with a space", 400, { metrics: { "a b": 1 } }],
    ["a value of 1 kB of JSON", 200, { metrics: { text: "x".repeat(1022) } }],
    ["a value of more", 400, { metrics: { text: "x".repeat(1023) } }],
    ["a value of fewer letters but more bytes", 400, { metrics: { text: "é".repeat(600) } }],
    ["values of any kind", 200, { metrics: { list: [1, { a: null }], flag: true, text: "x", none: null } }],
    ["a status code that is none", 400, { status_code: "ok" }],
    ["a negative latency", 400, { latency_ms: -1 }],
  ])("with %s is %i", async (_name, status, body) => {
    expect((await push(body)).status).toBe(status);
  });

  it.each([
    [{ latency_ms: -1 }, "latency_ms must be at least 0"],
    [[{}, { latency_ms: "fast" }], "[1].latency_ms must be a number"],
    [{ metrics: { "a b": 1 } }, "metrics.a b must match [A-Za-z0-9_.:-]{1,64}"],
    [{ timestamp: "2030-01-31" }, "timestamp must be an ISO 8601 time with a zone, as in 2030-01-31T12:00:00Z"],
  ])("names what is wrong with %j", async (body, error) => {
    expect((await push(body)).body.error).toBe(error);
  });

  it("of a time within 24 hours is taken, as history where a newer one is known", async () => {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    await push({ latency_ms: 1 });
    expect((await push({ is_error: true, timestamp: at(-24 * HOUR_MS) })).body.status).toBe("up");
    expect((await push({ is_error: true, timestamp: at(-1) })).body.status).toBe("up");
    expect((await push({ timestamp: at(-24 * HOUR_MS - 1) })).status).toBe(400);
    expect((await push({ timestamp: at(24 * HOUR_MS + 1) })).status).toBe(400);
    expect((await push([{}, { timestamp: "yesterday" }])).status).toBe(400);
    expect((await push({ is_error: true, timestamp: at(24 * HOUR_MS) })).body.status).toBe("down");
    expect(await keptOf(monitor.id)).toHaveLength(4);
  });

  it("is judged as a list by the newest sample, in any order of arrival", async () => {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    moveClock(10_000);
    const list = [
      { is_error: false, timestamp: at(-1_000) },
      { is_error: true, timestamp: at(-3_000) },
    ];
    expect((await push(list)).body.status).toBe("up");
  });
});

describe("thresholds", () => {
  it("make the monitor degraded or down, and it recovers when they are kept", async () => {
    const thresholds = [
      { metric: "latency_ms", operator: ">", value: 500, status: "degraded" },
      { metric: "queue", operator: "gte", value: 100, status: "down" },
    ];
    expect(await configure({ thresholds })).toMatchObject({ status: 200, body: { thresholds } });
    const statuses: string[] = [];
    for (const [latency_ms, queue] of [
      [500, 99],
      [501, 99],
      [500, 99],
      [501, 100],
      [501, 99],
      [10, 0],
    ]) {
      moveClock(1_000);
      statuses.push((await push({ latency_ms, metrics: { queue } })).body.status);
    }
    // Coming up, a slow success is a success.
    expect(statuses).toEqual(["up", "degraded", "up", "down", "up", "up"]);
  });

  it("are refused when they are malformed, and a refused config changes nothing", async () => {
    for (const threshold of [
      { metric: "a b", operator: ">", value: 1, status: "down" },
      { metric: "a", operator: "~", value: 1, status: "down" },
      { metric: "a", operator: ">", value: "1", status: "down" },
      { metric: "a", operator: ">", value: 1, status: "up" },
    ]) {
      expect((await configure({ interval: 120, thresholds: [threshold] })).status).toBe(400);
    }
    expect((await detail()).body).toMatchObject({ interval: 60, thresholds: [] });
  });
});

describe("an API monitor that hears nothing", () => {
  it("is degraded after its time, then every further such time is one failure", async () => {
    monitor = await createApi({ degraded_timeout_seconds: 60, failure_threshold: 2 });
    await push({});
    const seen: string[] = [];
    for (const ms of [60_000, 1, 59_999, 1, 59_999, 1]) {
      moveClock(ms);
      await account.client.put(`${V1}/monitors/${monitor.id}`, { tags: [String(seen.length)] });
      seen.push((await detail()).body.status);
    }
    expect(seen).toEqual(["up", "degraded", "degraded", "degraded", "degraded", "down"]);
    expect((await push({})).body.status).toBe("up");
  });
});

describe("the metrics of an API monitor", () => {
  it("are the newest pushes whole, and series of what are numbers", async () => {
    vi.setSystemTime(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS);
    const from = Date.now();
    for (const [latency_ms, queue] of [
      [10, 1],
      [20, 2],
      [60, 9],
    ] as const) {
      await push({ endpoint: "/pay", latency_ms, metrics: { queue, note: "x" } });
      moveClock(30_000);
    }
    const query = new URLSearchParams({ from: new Date(from).toISOString(), step: "60", limit: "2" });
    const { body } = await detail(`/metrics?${query}`);
    expect(body.recent.map((each: { latency_ms: number }) => each.latency_ms)).toEqual([60, 20]);
    expect(body.recent[0]).toMatchObject({ endpoint: "/pay", metrics: { queue: 9, note: "x" }, timestamp: null });
    expect(body.series).toEqual([
      {
        metric: "latency_ms",
        points: [
          { at: new Date(from).toISOString(), count: 2, mean: 15, min: 10, max: 20 },
          { at: new Date(from + 60_000).toISOString(), count: 1, mean: 60, min: 60, max: 60 },
        ],
      },
      {
        metric: "queue",
        points: [
          { at: new Date(from).toISOString(), count: 2, mean: 1.5, min: 1, max: 2 },
          { at: new Date(from + 60_000).toISOString(), count: 1, mean: 9, min: 9, max: 9 },
        ],
      },
    ]);
  });

  it("by the hour count every push once, before and after the hour is over", async () => {
    vi.setSystemTime(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS);
    const from = new Date().toISOString();
    const byHour = async () => {
      const to = new Date(Date.now() + 1).toISOString();
      const { body } = await detail(`/metrics?${new URLSearchParams({ from, to, step: "3600" })}`);
      return body.series[0].points.map(({ count }: { count: number }) => count);
    };
    for (const latency_ms of [1, 2, 3]) await push({ latency_ms });
    expect(await byHour()).toEqual([3]);
    moveClock(HOUR_MS);
    await push({ latency_ms: 4 });
    expect(await byHour()).toEqual([3, 1]);
    moveClock(HOUR_MS);
    await push({ latency_ms: 5 });
    expect(await byHour()).toEqual([3, 1, 1]);
  });

  it.each([
    ["from after to", { from: "2026-01-02T00:00:00Z", to: "2026-01-01T00:00:00Z" }],
    ["more than a thousand points", { from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z", step: "60" }],
    ["a step of nothing", { step: "0" }],
  ])("are refused for %s", async (_name, query: Record<string, string>) => {
    expect((await detail(`/metrics?${new URLSearchParams(query)}`)).status).toBe(400);
  });
});

describe("the management of an API monitor", () => {
  it("answers under both versions the same, with the key for people who may edit", async () => {
    await push({ latency_ms: 5 });
    const [first, second] = [await detail(), await account.client.get(`${V2}/api-monitoring/monitors/${monitor.id}`)];
    expect(second.body).toEqual(first.body);
    expect(first.body).toMatchObject({ push_key: monitor.push_key, type: "api", last_push: { latency_ms: 5 } });
    expect(first.body.push_url).toMatch(/\/api\/uptime\/v1\/api-monitoring\/push$/);
  });

  it("keeps what a config leaves out, clears what is null, and survives a change of the monitor", async () => {
    const widgets = [{ type: "line", metric: "latency_ms", title: "Latency" }];
    await configure({ widgets, interval: 120 });
    expect((await configure({ degraded_timeout_seconds: null })).body).toMatchObject({
      widgets,
      interval: 120,
      degraded_timeout_seconds: null,
    });
    await account.client.put(`${V1}/monitors/${monitor.id}`, { name: "Pay" });
    expect((await detail()).body).toMatchObject({ name: "Pay", widgets });
    expect((await configure({ widgets: null })).body.widgets).toEqual([]);
  });

  it("is 404 for monitors of other types and of other people, and 403 beyond the plan", async () => {
    const { id } = await createMonitor(account.client);
    expect((await account.client.get(`${V1}/api-monitoring/monitors/${id}`)).status).toBe(404);
    expect((await account.client.put(`${V1}/api-monitoring/monitors/${id}/config`, {})).status).toBe(404);
    const outsider = await createAccount();
    expect((await outsider.client.get(`${V1}/api-monitoring/monitors/${monitor.id}`)).status).toBe(404);
    account = await createAccount({ plan: "starter" });
    monitor = await createApi();
    expect(await configure({ interval: 10 })).toMatchObject({ status: 403, body: { code: "plan_limit" } });
  });

  it("replaces the key; the old one and keys of other routes are worth nothing", async () => {
    const { body } = await account.client.post(`${V1}/api-monitoring/monitors/${monitor.id}/regenerate-key`);
    expect((await push({})).status).toBe(401);
    const game: Pushed = await createMonitor(account.client, {
      type: "game_server",
      query_method: "push",
      target: undefined,
      paused: false,
    });
    expect((await createClient(game.push_key).post(`${V1}/api-monitoring/push`, {})).status).toBe(401);
    monitor = { ...monitor, push_key: body.push_key };
    expect((await push({})).status).toBe(200);
    expect((await createClient(monitor.push_key).post(`${V2}/game-server/push`, {})).status).toBe(401);
    expect((await createClient(monitor.push_key).post(`/heartbeat/${monitor.id}`)).status).toBe(401);
  });
});
