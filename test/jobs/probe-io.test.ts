import { env } from "cloudflare:workers";
import { describe, expect, inject, it, vi } from "vitest";
import type { ProbeResult } from "../../src/contract/check.ts";
import { send } from "../../src/delivery/sender.ts";
import { buildEgress, WORKER_NETWORK } from "../../src/platform/egress/guard.ts";
import { edgeIo } from "../../src/platform/probe-io.ts";
import { settingsOf } from "../../src/platform/settings.ts";
import { httpProbe, httpsProbe } from "../../src/probes/http.ts";
import type { Probe } from "../../src/probes/port.ts";
import { runProbe } from "../../src/probes/run.ts";
import { tcpProbe } from "../../src/probes/tcp.ts";

const ports = inject("outside");

function edge(allow: string[]) {
  const settings = { EGRESS_ALLOW: allow, DOH_RESOLVERS: [], PUBLIC_URL: "", ROOT_SECRET: env.ROOT_SECRET };
  return edgeIo(buildEgress(settings, WORKER_NETWORK));
}
const io = edge(["127.0.0.1", "localhost", "nowhere.test"]);

const run = (probe: Probe, target: string, fields = {}, timeout_seconds = 5): Promise<ProbeResult> =>
  runProbe(probe, { target, fields, timeout_seconds, latency_threshold_ms: null }, io);
const http = (path: string, fields = {}, timeout_seconds = 5) =>
  run(httpProbe, `http://127.0.0.1:${ports.http}/${path}`, fields, timeout_seconds);

describe("a request to a literal address", () => {
  it("reaches its server although fetch reaches no address, from a check and from a delivery", async () => {
    const platform = vi
      .spyOn(globalThis, "fetch")
      .mockImplementation(async () => new Response("error code: 1003", { status: 403 }));
    try {
      expect(await http("ok", { expected_body: "all systems ok" })).toMatchObject({ outcome: "success" });
      const settings = { ...settingsOf(env), EGRESS_ALLOW: ["127.0.0.1"] };
      const url = `http://127.0.0.1:${ports.http}/ok`;
      const request = { method: "POST" as const, url, headers: { "content-type": "application/json" }, body: "{}" };
      expect(await send(settings, request)).toMatchObject({ kind: "answered", status: 200 });
      expect(platform).not.toHaveBeenCalled();
    } finally {
      platform.mockRestore();
    }
  });
});

describe("a delivery in the Workers runtime", () => {
  it.each([
    ["a name that is silent", "localhost", "silent"],
    ["a name that never ends its body", "localhost", "drip"],
    ["an address that is silent", "127.0.0.1", "silent"],
    ["an address that never ends its body", "127.0.0.1", "drip"],
  ])("gives up on %s once its time is over", async (_name, host, path) => {
    const settings = { ...settingsOf(env), EGRESS_ALLOW: [host], DELIVERY_TIMEOUT_MS: 300 };
    const request = { method: "POST" as const, url: `http://${host}:${ports.http}/${path}`, headers: {}, body: "{}" };
    expect(await send(settings, request)).toMatchObject({ kind: "unanswered", is_timeout: true });
  });
});

describe("an http check in the Workers runtime", () => {
  it("finds a healthy server up and measures it", async () => {
    const result = await http("ok", { expected_body: "all systems ok" });
    expect(result).toMatchObject({ outcome: "success", message: "HTTP 200" });
    expect(result.latency_ms).toBeLessThan(2000);
  });

  it.each<[name: string, probe: Probe, target: string, expected: Partial<ProbeResult>]>([
    [
      "a refused connection",
      httpProbe,
      `http://127.0.0.1:${ports.closed}`,
      { cause: "connect", message: "connection refused" },
    ],
    [
      "a connection closed without an answer",
      httpProbe,
      `http://127.0.0.1:${ports.http}/drop`,
      { cause: "connect", message: "connection closed before the answer was complete" },
    ],
    [
      "a name that does not exist",
      httpProbe,
      "http://nowhere.test",
      { cause: "dns", message: "the name does not resolve" },
    ],
    ["a server that does not speak HTTP", httpProbe, `http://127.0.0.1:${ports.garbage}`, { cause: "protocol" }],
    ["a server without TLS", httpsProbe, `https://127.0.0.1:${ports.http}`, { cause: "tls" }],
    ["a name reserved never to exist", httpProbe, "http://nothing.invalid", { cause: "dns" }],
  ])("names the cause of %s", async (_name, probe, target, expected) => {
    expect(await run(probe, target)).toMatchObject({ outcome: "failure", latency_ms: null, ...expected });
  });

  it.each(["silent", "drip"])("gives up in time on a server that is %s", async (path) => {
    const startedAt = Date.now();
    expect(await http(path, { expected_body: "end" }, 0.3)).toMatchObject({ outcome: "failure", cause: "timeout" });
    expect(Date.now() - startedAt).toBeLessThan(1500);
  });

  it("reads one MiB of an endless body and stops the server", async () => {
    expect(await http("endless", { expected_body: "y" })).toMatchObject({ outcome: "failure", cause: "body" });
    const sent = async () => (await fetch(`http://127.0.0.1:${ports.http}/endless-bytes`)).text();
    const before = await sent();
    expect(await sent()).toBe(before);
    expect(Number(before)).toBeLessThan(32 * 1024 * 1024);
  });

  it("follows a chain of redirects", async () => {
    expect(await http("chain/3")).toMatchObject({ outcome: "success", details: { redirects: 3 } });
  });

  it("does not follow a redirect to a private address", async () => {
    const target = encodeURIComponent("http://169.254.169.254/latest/meta-data");
    expect(await http(`to/${target}`)).toMatchObject({
      outcome: "failure",
      cause: "status",
      message: "redirects to an address that may not be reached",
    });
  });

  it("refuses loopback unless the operator allowed it", async () => {
    const job = {
      target: `http://127.0.0.1:${ports.http}/ok`,
      fields: {},
      timeout_seconds: 5,
      latency_threshold_ms: null,
    };
    const result = await runProbe(httpProbe, job, edge([]));
    expect(result).toMatchObject({ outcome: "error", message: '"127.0.0.1" is a loopback address' });
  });
});

describe("a tcp check in the Workers runtime", () => {
  it.each<[name: string, target: string, expected: Partial<ProbeResult>]>([
    ["an open port", `127.0.0.1:${ports.silent}`, { outcome: "success", message: `port ${ports.silent} is open` }],
    ["an allowed name", `localhost:${ports.garbage}`, { outcome: "success" }],
    [
      "a closed port",
      `127.0.0.1:${ports.closed}`,
      { outcome: "failure", cause: "connect", message: "connection refused" },
    ],
    ["a private address", "10.0.0.1:80", { outcome: "error", message: '"10.0.0.1" is a private address' }],
    [
      "port 25",
      "127.0.0.1:25",
      { outcome: "error", message: "port 25 cannot be reached from here: use 587 or 465, or an agent" },
    ],
  ])("judges %s", async (_name, target, expected) => {
    expect(await run(tcpProbe, target)).toMatchObject(expected);
  });
});

describe("a socket in the Workers runtime", () => {
  const open = (port: number, tls: "off" | "on" | "starttls", milliseconds = 5000) =>
    io.connect({ host: "127.0.0.1", port, tls, signal: AbortSignal.timeout(milliseconds) });

  it("carries bytes both ways and ends with null", async () => {
    const socket = await open(ports.http, "off");
    await socket.write(new TextEncoder().encode("GET /ok HTTP/1.0\r\n\r\n"));
    let text = "";
    for (let chunk = await socket.read(); chunk; chunk = await socket.read()) text += new TextDecoder().decode(chunk);
    socket.close();
    expect(text).toMatch(/^HTTP\/1.1 200 OK\r\n.*all systems ok\n$/s);
  });

  it("stops reading when the signal fires, and may be closed twice", async () => {
    const socket = await open(ports.silent, "off", 300);
    await expect(socket.read()).rejects.toMatchObject({ name: "TimeoutError" });
    socket.close();
    socket.close();
  });

  it.each([
    "on",
    "starttls",
  ] as const)("distinguishes a failed TLS handshake (%s) from a refused connection", async (tls) => {
    const handshake = open(ports.garbage, tls).then((socket) => socket.startTls());
    await expect(handshake).rejects.toMatchObject({ kind: "tls" });
    await expect(open(ports.closed, tls)).rejects.toMatchObject({ kind: "connect" });
  });
});
