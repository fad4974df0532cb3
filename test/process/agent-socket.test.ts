import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { holdSocket } from "../../src/agent/command-socket.ts";

/** The agent's connection for commands, against a server on this host. */

let server: Server;
let sockets: WebSocketServer;
let port: number;
let stopping: AbortController;
let messages: string[];
/** What the server does with an upgrade instead of accepting it. */
let refusal: { status: number; headers?: Record<string, string> } | null;
let tokens: unknown[];

beforeEach(async () => {
  [messages, tokens, refusal, stopping] = [[], [], null, new AbortController()];
  sockets = new WebSocketServer({ noServer: true });
  server = createServer();
  server.on("upgrade", (request, socket, head) => {
    tokens.push(request.headers["x-agent-token"]);
    if (!refusal) return sockets.handleUpgrade(request, socket, head, (open) => sockets.emit("connection", open));
    const headers = Object.entries({ connection: "close", ...refusal.headers }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    socket.end(`HTTP/1.1 ${refusal.status} No\r\n${headers.join("\r\n")}\r\n\r\n`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});
afterEach(() => {
  vi.useRealTimers();
  stopping.abort();
  for (const open of sockets.clients) open.terminate();
  server.close();
});

const hold = (to = port) =>
  holdSocket({
    address: `ws://127.0.0.1:${to}/live`,
    headers: { "x-agent-token": "ag_secret" },
    signal: stopping.signal,
    onMessage: (text) => void messages.push(text),
  });

async function accepted(): Promise<WebSocket> {
  const [socket] = await once(sockets, "connection");
  return socket;
}

describe("the connection for commands", () => {
  it("carries the credential, hands over messages, and ends when it is closed", async () => {
    const [held, open] = [hold(), await accepted()];
    open.send("one");
    open.send("two");
    open.close(4401);
    await held;
    expect([tokens, messages]).toEqual([["ag_secret"], ["one", "two"]]);
  });

  it("ends when the agent stops", async () => {
    const [held, open] = [hold(), await accepted()];
    const closed = once(open, "close");
    stopping.abort();
    await Promise.all([held, closed]);
  });

  it("is not opened by an agent that has stopped", async () => {
    stopping.abort();
    await hold();
    expect(messages).toEqual([]);
  });

  it.each([
    [401, {}, "unauthorized"],
    [404, {}, "unavailable"],
    [503, {}, "unavailable"],
  ])("says what an answer of %i means", async (status, headers, kind) => {
    refusal = { status, headers };
    await expect(hold()).rejects.toMatchObject({ name: "UplinkError", kind, status });
  });

  it("follows no redirect, which would take the credential along", async () => {
    refusal = { status: 302, headers: { location: `http://127.0.0.1:${port}/elsewhere` } };
    await expect(hold()).rejects.toMatchObject({ kind: "unavailable", status: 302 });
    expect(tokens).toEqual(["ag_secret"]);
  });

  it("says that nothing listens", async () => {
    server.close();
    await once(server, "close");
    await expect(hold()).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("ECONNREFUSED"),
    });
  });

  it("stays while its pings are answered, and ends when they no longer are", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const [held, open] = [hold(), await accepted()];
    let ended = false;
    void held.then(() => {
      ended = true;
    });
    for (let n = 0; n < 3; n++) {
      const pinged = once(open, "message");
      // The client may still be opening.
      await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0), { timeout: 20_000 });
      await vi.advanceTimersByTimeAsync(45_000);
      expect(String((await pinged)[0])).toBe("ping");
      open.send(n === 0 ? "pong" : `message ${n}`);
      // Frames are read in order, so that the answer to this one says that the agent has the other.
      open.ping();
      await once(open, "pong");
    }
    expect(ended).toBe(false);
    // The ping after the third has no answer.
    await vi.advanceTimersByTimeAsync(45_000);
    await vi.advanceTimersByTimeAsync(45_000);
    await held;
    expect(messages).toEqual(["message 1", "message 2"]);
  });
});
