import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SocketOptions } from "./command-socket.ts";
import { CommandLoop } from "./commands.ts";
import { Connection } from "./connection.ts";
import { createLog } from "./log.ts";
import { type Command, Uplink } from "./uplink.ts";
import { UplinkError } from "./uplink-error.ts";

const log = createLog("error", () => {});
let polls: (Command[] | Error)[];
let acks: { id: string; body: unknown }[];
let ackFailures: number;
let executed: string[];
let stopping: AbortController;
/** What becomes of each connection for commands; without an entry it is refused, so that commands are polled. */
let connections: ((options: SocketOptions) => Promise<void>)[];
let connected: number;
let refreshed: number;

beforeEach(() => {
  vi.useFakeTimers();
  polls = [];
  acks = [];
  executed = [];
  ackFailures = 0;
  connections = [];
  connected = 0;
  refreshed = 0;
  stopping = new AbortController();
});
afterEach(() => {
  stopping.abort();
  vi.useRealTimers();
});

async function serve(url: string, init: { body: string; signal: AbortSignal }): Promise<Response> {
  const { pathname } = new URL(url);
  if (!pathname.endsWith("/ack")) {
    const answer = polls.shift();
    if (answer instanceof Error) throw answer;
    if (answer) return Response.json(answer);
    return new Promise((_, reject) => init.signal.addEventListener("abort", () => reject(init.signal.reason)));
  }
  if (ackFailures-- > 0) throw new TypeError("fetch failed");
  acks.push({ id: pathname.split("/").at(-2) ?? "", body: JSON.parse(init.body) });
  return Response.json({ acknowledged: true });
}

function start(execute: (command: Command) => Promise<unknown>, pause = 0) {
  const loop = new CommandLoop({
    uplink: new Uplink({
      url: "https://vigil.test",
      token: () => "t",
      fetch: serve as unknown as typeof fetch,
      holdSocket: (options) => {
        connected += 1;
        const refused = async () => {
          throw new UplinkError("unavailable", "HTTP 403: not a WebSocket", { status: 403 });
        };
        return (connections.shift() ?? refused)(options);
      },
    }),
    connection: new Connection(log, () => Date.now()),
    log,
    now: () => Date.now(),
    monitorsChanged: async () => {
      refreshed += 1;
    },
    execute: (command) => {
      executed.push(command.id);
      return execute(command);
    },
    acknowledged: () => {},
    pauseMs: () => pause,
  });
  void loop.run(stopping.signal);
}

const command = (type: Command["type"]): Command => ({ id: crypto.randomUUID(), type, params: {} });

describe("commands", () => {
  it("are executed in order and acknowledged with what came of them", async () => {
    const [first, second] = [command("check_now"), command("discover")];
    polls = [[first, second]];
    start(async ({ type }) => {
      if (type === "discover") throw new Error("no /proc here");
      return { status: "up" };
    });
    await vi.advanceTimersByTimeAsync(10);
    expect(acks).toEqual([
      { id: first.id, body: { ok: true, result: { status: "up" } } },
      { id: second.id, body: { ok: false, error: "no /proc here" } },
    ]);
  });

  it("are executed once, even when the acknowledgement gets lost and they come again", async () => {
    const only = command("update");
    polls = [[only], [only]];
    ackFailures = 1;
    start(async () => ({}));
    await vi.advanceTimersByTimeAsync(5000);
    expect(executed).toEqual([only.id]);
    expect(acks.map(({ id }) => id)).toEqual([only.id]);
  });

  it("are asked for again after the service was away", async () => {
    const late = command("check_now");
    polls = [new TypeError("fetch failed"), new TypeError("fetch failed"), [late]];
    start(async () => ({}));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(acks.map(({ id }) => id)).toEqual([late.id]);
  });
});

describe("commands over a WebSocket", () => {
  const until = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  const sending =
    (...commands: unknown[]) =>
    async ({ onMessage, signal }: SocketOptions) => {
      onMessage(JSON.stringify({ commands }));
      await until(signal);
    };

  it("are executed as they come, without a poll, with the agent's credential", async () => {
    const only = command("discover");
    const seen: SocketOptions[] = [];
    connections = [
      (options) => {
        seen.push(options);
        return sending({ id: crypto.randomUUID(), type: "of a newer service", params: {} }, only)(options);
      },
    ];
    start(async () => ({}));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(acks.map(({ id }) => id)).toEqual([only.id]);
    expect(seen).toMatchObject([
      { address: "wss://vigil.test/api/uptime/v1/agents/commands/live", headers: { "x-agent-token": "t" } },
    ]);
  });

  it("come with the word that other monitors are assigned", async () => {
    connections = [
      async ({ onMessage, signal }) => {
        onMessage(JSON.stringify({ commands: [], monitors_changed: false }));
        expect(refreshed).toBe(0);
        onMessage(JSON.stringify({ commands: [], monitors_changed: true }));
        await until(signal);
      },
    ];
    start(async () => ({}));
    await vi.advanceTimersByTimeAsync(10);
    expect(refreshed).toBe(1);
  });

  it("come again by the next connection when their acknowledgement got lost, and are executed once", async () => {
    const only = command("update");
    connections = [sending(only), sending(only)];
    ackFailures = 1;
    start(async () => ({}));
    await vi.advanceTimersByTimeAsync(5000);
    expect([executed, acks.map(({ id }) => id), connected]).toEqual([[only.id], [only.id], 2]);
  });

  it("are polled while no WebSocket comes through, and wait for one again after ten minutes", async () => {
    const [polled, sent] = [command("discover"), command("discover")];
    polls = [[polled], ...Array.from({ length: 600 }, () => [])];
    const server = polls.length;
    connections = [
      async () => {
        throw new UplinkError("unavailable", "HTTP 403: not a WebSocket", { status: 403 });
      },
      sending(sent),
    ];
    start(async () => ({}), 1000);
    await vi.advanceTimersByTimeAsync(9 * 60_000);
    expect([acks.map(({ id }) => id), connected]).toEqual([[polled.id], 1]);
    expect(polls.length).toBeLessThan(server - 500);
    await vi.advanceTimersByTimeAsync(2 * 60_000);
    expect([acks.map(({ id }) => id), connected]).toEqual([[polled.id, sent.id], 2]);
  });

  it("are waited for anew, with a pause, when a connection that lasted has ended", async () => {
    const lasting = () => new Promise<void>((resolve) => setTimeout(resolve, 5 * 60_000));
    const late = command("discover");
    connections = [lasting, sending(late)];
    start(async () => ({}));
    await vi.advanceTimersByTimeAsync(5 * 60_000 + 900);
    expect(connected).toBe(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([connected, acks.map(({ id }) => id)]).toEqual([2, [late.id]]);
  });

  it("are not asked for again and again with a credential that is revoked", async () => {
    const revoked = async () => {
      throw new UplinkError("unauthorized", "HTTP 401: not a WebSocket", { status: 401 });
    };
    connections = Array.from({ length: 100 }, () => revoked);
    start(async () => ({}));
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(connected).toBeLessThanOrEqual(11);
    expect(polls).toEqual([]);
  });
});
