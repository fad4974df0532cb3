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
type Behaviour = number | "cut" | { status: number; headers: Record<string, string> };

let dir: string;
let buffer: ResultBuffer;
let behaviours: Behaviour[];
let requests: { at: number; path: string; token: string | undefined; times: number[] }[];
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
  const clock = createClock(() => Date.now());
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
  const sent = JSON.parse(init.body) as { checked_at: string }[];
  const times = sent.map(({ checked_at }) => Date.parse(checked_at) - START);
  requests.push({ at: Date.now() - START, path: new URL(url).pathname, token: init.headers["x-agent-token"], times });
  const behaviour = behaviours.shift() ?? 200;
  if (behaviour === "cut") throw new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") });
  const { status, headers } = typeof behaviour === "number" ? { status: behaviour, headers: {} } : behaviour;
  return Response.json(status === 200 ? { accepted: 1 } : { error: "no" }, { status, headers });
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
  it("sends news at once, in order, each monitor's in one request", async () => {
    void sender.run(stopping.signal);
    add(1);
    add(2, { monitor_id: "m2" });
    add(3);
    await vi.advanceTimersByTimeAsync(10);
    expect(requests.map(({ path, times }) => [path, times])).toEqual([
      ["/api/uptime/v1/monitors/m1/status", [1, 3]],
      ["/api/uptime/v1/monitors/m2/status", [2]],
    ]);
    expect(requests[0]?.token).toBe("ag_secret");
    expect(buffer.size).toBe(0);
  });

  it("lets successes that change nothing wait for company", async () => {
    void sender.run(stopping.signal);
    await vi.advanceTimersByTimeAsync(1);
    for (const at of [1000, 2000, 3000]) add(at, { is_settled: true });
    await vi.advanceTimersByTimeAsync(5000);
    expect(requests).toEqual([]);
    await vi.advanceTimersByTimeAsync(6000);
    expect(requests.map(({ times }) => times)).toEqual([[1000, 2000, 3000]]);
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

  it("loses only the result that the service cannot accept, not those in its company", async () => {
    behaviours = [400, 200, 400, 200];
    for (const at of [1, 2, 3]) add(at);
    await sender.flush();
    expect(requests.map(({ times }) => times)).toEqual([[1, 2, 3], [1], [2], [3]]);
    expect(buffer.size).toBe(0);
    expect(logged.join("")).toContain("result refused");
  });

  it("drops results of a monitor that is not its own any more", async () => {
    behaviours = [403];
    for (const at of [1, 2]) add(at);
    await sender.flush();
    expect([requests.length, buffer.size]).toEqual([1, 0]);
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

  it("sends at most 100 results a request, in order", async () => {
    for (let at = 1; at <= 250; at++) add(at);
    await sender.flush();
    expect(requests.map(({ times }) => times.length)).toEqual([100, 100, 50]);
    expect(requests.flatMap(({ times }) => times)).toEqual(Array.from({ length: 250 }, (_, n) => n + 1));
  });
});
