import { mkdtempSync, rmSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Path } from "../contract/observation.ts";
import { Agent } from "./agent.ts";
import type { HoldSocket } from "./command-socket.ts";
import { createLog } from "./log.ts";
import { UNRESTRICTED } from "./reach.ts";
import { UplinkError } from "./uplink-error.ts";
import { VERSION } from "./version.ts";

const START = Date.UTC(2026, 0, 1);
const POLL_MS = 25_000;

let dir: string;
let requests: { path: string; at: number; body: unknown }[];
/** What GET /agents/monitors gives. */
let assignments: unknown[];
/** Whether the way to the service lets WebSockets through. */
let hasSockets: boolean;
/** What the agent finds on its way to what fails. */
let walked: Path | null;

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ["Date", "performance", "setTimeout", "clearTimeout"] });
  dir = mkdtempSync(join(tmpdir(), "vigil-agent-"));
  requests = [];
  assignments = [];
  hasSockets = true;
  walked = null;
  vi.stubGlobal("fetch", serve);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  rmSync(dir, { recursive: true });
});

async function serve(url: string, init: { signal: AbortSignal; headers: Record<string, string>; body: string | null }) {
  const { signal, headers } = init;
  const path = new URL(url).pathname.replace("/api/uptime/v1", "");
  requests.push({ path, at: Date.now() - START, body: JSON.parse(init.body ?? "null") });
  switch (path) {
    case "/agents/handshake": {
      const server_time = new Date(Date.now()).toISOString();
      const rhythm = { heartbeat_interval_seconds: 30, poll_interval_seconds: 30 };
      return Response.json({ agent_id: crypto.randomUUID(), server_time, latest_version: VERSION, ...rhythm });
    }
    case "/agents/monitors": {
      const etag = String(assignments.length);
      if (headers["if-none-match"] === etag) return new Response(null, { status: 304 });
      return Response.json(assignments, { headers: { etag } });
    }
    case "/agents/commands":
      await new Promise<void>((resolve) => {
        setTimeout(resolve, POLL_MS);
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      return Response.json([]);
    default:
      return Response.json({ accepted: 1, rejected: [] });
  }
}

const holdSocket: HoldSocket = async ({ signal }) => {
  requests.push({ path: "/agents/commands/live", at: Date.now() - START, body: null });
  if (!hasSockets) throw new UplinkError("unavailable", "HTTP 403: not a WebSocket", { status: 403 });
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
};

/** Lets time pass in steps in which what the agent reads from disk and system can arrive. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1000) {
    await vi.advanceTimersByTimeAsync(1000);
    // Comes after what the agent asked of the system before.
    await statfs("/");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function runFor(ms: number): Promise<void> {
  const config = {
    url: "https://vigil.test",
    agent_id: "a",
    agent_token: "ag_x",
    name: "lab",
    auto_update: true,
    ...UNRESTRICTED,
  };
  const log = createLog("error", () => {});
  const programPath = join(dir, "vigil-agent.mjs");
  const agent = new Agent({ dir, config, log, env: {}, programPath, holdSocket, walk: async () => walked });
  const ended = agent.run();
  await pass(ms);
  agent.stop();
  await pass(2000);
  expect(await ended).toBe("stopped");
}

it.each([
  ["by WebSocket", true, 2],
  ["by long polls, where no WebSocket comes through", false, 3],
])(
  "an agent without monitors, told %s, makes at most a few requests a minute and is never silent for 90 seconds",
  async (_name, sockets, limit) => {
    hasSockets = sockets;
    await runFor(40 * 60_000);
    // The first minute has what every start has: handshake, discovery, first poll.
    const later = requests.filter(({ at }) => at > 60_000);
    expect(later.length / 39).toBeLessThanOrEqual(limit);
    const polls = requests.filter(({ path }) => path === "/agents/commands").length;
    expect(polls > 0).toBe(!sockets);
    const gaps = requests.slice(1).map(({ at }, n) => at - (requests[n]?.at ?? 0));
    expect(Math.max(...gaps)).toBeLessThan(90_000);
    expect(requests.filter(({ path }) => path === "/agents/metrics").length).toBeGreaterThanOrEqual(3);
  },
  60_000,
);

it("monitors that are assigned are checked, and go on being checked by the next run without the service", async () => {
  const id = "01980000-0000-7000-8000-000000000001";
  const limits = { timeout_seconds: 5, retry_interval: 20, failure_threshold: 3, recovery_threshold: 2 };
  const settings = { target: "127.0.0.1:1", interval: 60, latency_threshold_ms: null, options: {}, config_version: 1 };
  assignments = [{ id, name: "Closed", type: "tcp", ...limits, ...settings }];
  await runFor(10_000);
  expect(requests.filter(({ path }) => path === "/agents/results").length).toBe(1);

  requests = [];
  vi.stubGlobal("fetch", async () => {
    throw new TypeError("fetch failed");
  });
  await runFor(10_000);
  requests = [];
  vi.stubGlobal("fetch", serve);
  await runFor(10_000);
  const sent = requests.filter(({ path }) => path === "/agents/results").map(({ body }) => body);
  // One of each run, the one without the service first.
  expect(sent.flatMap((body) => (body as { results: unknown[] }).results)).toMatchObject([
    { monitor_id: id, status: "down", checked_at: "2026-01-01T00:00:12.000Z" },
    { monitor_id: id, status: "down", checked_at: "2026-01-01T00:00:24.000Z" },
  ]);
}, 60_000);

it("the way to what failed follows the result that waits for nothing, as a part of the same result", async () => {
  const id = "01980000-0000-7000-8000-000000000001";
  const limits = { timeout_seconds: 5, retry_interval: 60, failure_threshold: 1, recovery_threshold: 1 };
  const settings = { target: "127.0.0.1:1", interval: 60, latency_threshold_ms: null, options: {}, config_version: 1 };
  assignments = [{ id, name: "Closed", type: "tcp", ...limits, ...settings }];
  walked = { by: "ttl", hops: [{ ttl: 1, address: "127.0.0.1", latency_ms: 0 }] };
  await runFor(10_000);
  const sent = requests.flatMap(({ path, body }) =>
    path === "/agents/results" ? (body as { results: Record<string, unknown>[] }).results : [],
  );
  const [first, second] = sent;
  expect(first).toMatchObject({ monitor_id: id, status: "down", observation: { connection: { port: 1 } } });
  expect(second).toEqual({ ...first, observation: { ...Object(first?.observation), path: walked } });
}, 60_000);
