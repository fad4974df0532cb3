import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HOUR_MS } from "../lib/durations.ts";
import { type CheckedResult, ResultBuffer } from "./buffer.ts";
import { createClock } from "./clock.ts";
import { Connection } from "./connection.ts";
import { createLog } from "./log.ts";
import { Sender } from "./sender.ts";
import { Uplink } from "./uplink.ts";

const START = Date.UTC(2026, 0, 2);

/** What the service does with the next request: a status, or no answer at all. */
type Behaviour = number | "cut" | { status: number; headers: Record<string, string> } | { rejected: number[] };

let dir: string;
let buffer: ResultBuffer;
let behaviours: Behaviour[];
let requests: { at: number; path: string; token: string | undefined; monitors: string[]; times: number[] }[];
let stopping: AbortController;
let sender: Sender;
let logged: string[];

beforeEach(() => {
  vi.useFakeTimers({ now: START });
  dir = mkdtempSync(join(tmpdir(), "vigil-sender-"));
  behaviours = [];
  requests = [];
  logged = [];
  stopping = new AbortController();
  const log = createLog("debug", (line) => logged.push(line));
  const clock = createClock();
  buffer = new ResultBuffer(join(dir, "results.jsonl"), () => {});
  const uplink = new Uplink({ url: "https://vigil.test", token: () => "ag_secret", fetch: serve as typeof fetch });
  const connection = new Connection(log, () => clock.now());
  sender = new Sender({ uplink, buffer, clock, connection, log });
});
afterEach(() => {
  stopping.abort();
  vi.restoreAllMocks();
  vi.useRealTimers();
  rmSync(dir, { recursive: true });
});

async function serve(url: string, init: { headers: Record<string, string>; body: string }): Promise<Response> {
  const { results } = JSON.parse(init.body) as { results: { monitor_id: string; checked_at: string }[] };
  const times = results.map(({ checked_at }) => Date.parse(checked_at) - START);
  const monitors = results.map(({ monitor_id }) => monitor_id);
  const token = init.headers["x-agent-token"];
  requests.push({ at: Date.now() - START, path: new URL(url).pathname, token, monitors, times });
  expect(Buffer.byteLength(init.body)).toBeLessThan(1024 * 1024);
  const behaviour = behaviours.shift() ?? { rejected: [] };
  if (behaviour === "cut") throw new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") });
  if (typeof behaviour !== "number" && "rejected" in behaviour) {
    const rejected = behaviour.rejected.map((index) => ({ index, error: "monitor_id is not assigned to this agent" }));
    return Response.json({ accepted: results.length - rejected.length, rejected });
  }
  const { status, headers } = typeof behaviour === "number" ? { status: behaviour, headers: {} } : behaviour;
  return Response.json({ error: "no" }, { status, headers });
}

function add(at: number, changes: Partial<CheckedResult> = {}) {
  const result: CheckedResult = {
    monitor_id: "m1",
    status: "up",
    checked_at: START + at,
    latency_ms: 1,
    message: "",
    details: {},
    is_settled: false,
    ...changes,
  };
  buffer.add(result);
  sender.wake(result);
}

describe("the sender", () => {
  it("sends news of all monitors at once, in order, in one request", async () => {
    void sender.run(stopping.signal);
    add(1);
    add(2, { monitor_id: "m2" });
    add(3);
    await vi.advanceTimersByTimeAsync(10);
    expect(requests).toEqual([
      {
        path: "/api/uptime/v1/agents/results",
        token: "ag_secret",
        at: expect.any(Number),
        monitors: ["m1", "m2", "m1"],
        times: [1, 2, 3],
      },
    ]);
    expect(buffer.size).toBe(0);
  });

  it("lets successes that change nothing wait for company", async () => {
    void sender.run(stopping.signal);
    await vi.advanceTimersByTimeAsync(1);
    for (const at of [1000, 2000, 3000]) add(at, { is_settled: true });
    await vi.advanceTimersByTimeAsync(58_000);
    expect(requests).toEqual([]);
    await vi.advanceTimersByTimeAsync(3000);
    expect(requests.map(({ times }) => times)).toEqual([[1000, 2000, 3000]]);
  });

  it("sends successes that change nothing as soon as there are a hundred, and news with those that wait", async () => {
    void sender.run(stopping.signal);
    await vi.advanceTimersByTimeAsync(1);
    for (let at = 1; at <= 100; at++) {
      expect(requests).toEqual([]);
      add(at, { is_settled: true });
    }
    await vi.advanceTimersByTimeAsync(10);
    expect(requests.map(({ times }) => times.length)).toEqual([100]);
    add(101, { is_settled: true });
    add(102, { status: "down" });
    await vi.advanceTimersByTimeAsync(10);
    expect(requests.at(-1)?.times).toEqual([101, 102]);
  });

  it("keeps everything while the service is away, asks ever less often, and then sends each result once", async () => {
    // The longest pauses: 1, 2, 4, … and at most 60 seconds.
    vi.spyOn(Math, "random").mockReturnValue(1);
    behaviours = Array.from({ length: 12 }, () => "cut");
    void sender.run(stopping.signal);
    add(1);
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    add(2);
    expect(requests.map(({ at }) => Math.round(at / 1000))).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243]);
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    const taken = requests.slice(12).flatMap(({ times }) => times);
    expect(taken).toEqual([1, 2]);
    expect(buffer.size).toBe(0);
  });

  it("waits as long as the service asks it to", async () => {
    behaviours = [{ status: 429, headers: { "retry-after": "120" } }];
    void sender.run(stopping.signal);
    add(1);
    await vi.advanceTimersByTimeAsync(119_000);
    expect(requests.length).toBe(1);
    await vi.advanceTimersByTimeAsync(2000);
    expect(requests.length).toBe(2);
  });

  it("sends what came while it waited for an answer", async () => {
    void sender.run(stopping.signal);
    await vi.advanceTimersByTimeAsync(1);
    add(1);
    await Promise.resolve();
    add(2);
    await vi.advanceTimersByTimeAsync(100);
    expect(requests.flatMap(({ times }) => times)).toEqual([1, 2]);
  });

  it("loses only the results that the service rejects, not those in their company", async () => {
    behaviours = [{ rejected: [1] }];
    for (const at of [1, 2, 3]) add(at);
    await sender.flush();
    expect([requests.length, buffer.size]).toEqual([1, 0]);
    expect(logged.filter((line) => line.includes("result refused"))).toEqual([expect.stringContaining("monitor=m1")]);
  });

  it("finds the one result for which the service refuses a whole list, and loses that alone", async () => {
    behaviours = [400, 200, 400, 200, 400].map((status) => (status === 200 ? { rejected: [] } : status));
    for (const at of [1, 2, 3, 4]) add(at);
    await sender.flush();
    expect(requests.map(({ times }) => times)).toEqual([[1, 2, 3, 4], [1, 2], [3, 4], [3], [4]]);
    expect(buffer.size).toBe(0);
    expect(logged.filter((line) => line.includes("result refused")).length).toBe(1);
  });

  it.each([403, 404, 405])("keeps everything when the service answers the call itself with %i", async (status) => {
    behaviours = [status];
    for (const at of [1, 2]) add(at);
    await expect(sender.flush()).rejects.toThrow(String(status));
    expect([requests.length, buffer.size]).toEqual([1, 2]);
  });

  it("keeps results when the service does not know its token, and never logs it", async () => {
    behaviours = [401];
    add(1);
    await expect(sender.flush()).rejects.toThrow("401");
    expect(buffer.size).toBe(1);
    expect(logged.join("")).toContain("does not know this agent's token");
    expect(logged.join("")).not.toContain("ag_secret");
  });

  it("does not send what the service would refuse as too old", async () => {
    add(-25 * HOUR_MS);
    add(-23 * HOUR_MS);
    await sender.flush();
    expect(requests.map(({ times }) => times)).toEqual([[-23 * HOUR_MS]]);
  });

  it("sends what an outage left in bounded requests, in order, each result once", async () => {
    for (let at = 1; at <= 1250; at++) add(at, { monitor_id: `m${at % 20}` });
    behaviours = [{ rejected: [] }, "cut"];
    await expect(sender.flush()).rejects.toThrow("ECONNREFUSED");
    expect(buffer.size).toBe(750);
    await sender.flush();
    expect(requests.map(({ times }) => times.length)).toEqual([500, 500, 500, 250]);
    const taken = requests.filter((_, n) => n !== 1).flatMap(({ times }) => times);
    expect(taken).toEqual(Array.from({ length: 1250 }, (_, n) => n + 1));
  });

  it("bounds a request by its size as well", async () => {
    const details = { text: "ü".repeat(8000) };
    for (let at = 1; at <= 200; at++) add(at, { details });
    await sender.flush();
    expect(requests.length).toBeGreaterThan(1);
    expect(requests.flatMap(({ times }) => times)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
  });
});
