import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ProbeResult } from "../../src/contract/check.ts";
import { IoFault } from "../../src/lib/io-fault.ts";
import type { NetIo } from "../../src/net/port.ts";
import { httpProbe, httpsProbe } from "../../src/probes/http.ts";
import type { Probe } from "../../src/probes/port.ts";
import { runProbe } from "../../src/probes/run.ts";
import { sslProbe } from "../../src/probes/ssl.ts";
import { nodeIo } from "../support/node-io.ts";
import { describeProbe } from "../support/probe-contract.ts";
import { startNginx } from "../support/servers/nginx.ts";
import { describeServer, type RunningServer } from "../support/servers/run-server.ts";
import { startTlsServers, type TlsPorts, type TlsServers } from "../support/tls-servers.ts";

describeProbe({ probe: sslProbe, target: (port) => `127.0.0.1:${port}` });

let servers: TlsServers;
beforeAll(async () => {
  servers = await startTlsServers();
  setDefaultCACertificates([...getCACertificates("default"), servers.authority.certificate]);
});
afterAll(() => servers.stop());

const run = (probe: Probe, target: string, fields: object, io: NetIo): Promise<ProbeResult> =>
  runProbe(probe, { target, fields, timeout_seconds: 5, latency_threshold_ms: null }, io);
const ssl = (name: keyof TlsPorts, fields = {}, io = nodeIo) =>
  run(sslProbe, `localhost:${servers.ports[name]}`, fields, io);

/** A place whose fetch cannot ignore certificates, and whose sockets hand over fifty bytes at a time. */
const edgeLike: NetIo = {
  ...nodeIo,
  fetch: (request) =>
    request.verify_tls
      ? nodeIo.fetch(request)
      : Promise.reject(new IoFault("unsupported", "fetch cannot do this here")),
  async connect(request) {
    const socket = await nodeIo.connect(request);
    let unread: Uint8Array = new Uint8Array();
    const read = async () => {
      if (unread.length === 0) {
        const chunk = await socket.read();
        if (!chunk) return null;
        unread = chunk;
      }
      const piece = unread.subarray(0, 50);
      unread = unread.subarray(50);
      return piece;
    };
    return { ...socket, read };
  },
};

describe("an ssl check", () => {
  it.each<[server: keyof TlsPorts, fields: object, expected: object]>([
    ["good", {}, { outcome: "success", message: "certificate of localhost expires in 89 days" }],
    ["good", { ssl_expiry_warning_days: 91 }, { outcome: "slow" }],
    ["tls_1_2", {}, { outcome: "success", details: { protocol: "TLS 1.2", is_trusted: true, days_left: 89 } }],
    ["second_choice", {}, { outcome: "success", details: { protocol: "TLS 1.3" } }],
    ["asks_client", {}, { outcome: "success" }],
    ["soon", {}, { outcome: "slow", message: "certificate of localhost expires in 5 days" }],
    ["soon", { ssl_expiry_warning_days: 5 }, { outcome: "success" }],
    ["soon", { ssl_expiry_warning_days: 0 }, { outcome: "success" }],
    ["expired", {}, { outcome: "failure", cause: "tls", message: "certificate of localhost expired 3 days ago" }],
    ["not_yet", {}, { outcome: "failure", message: "certificate of localhost is not valid for another 2 days" }],
    ["wrong_host", {}, { outcome: "failure", message: "certificate of localhost is for another name: other.example" }],
    ["self_signed", {}, { outcome: "failure", message: "certificate of localhost is self-signed" }],
    ["stranger", {}, { outcome: "failure", message: "certificate of localhost is not trusted, issued by Nobody's CA" }],
  ])("of the server %j with %j", async (server, fields, expected) => {
    expect(await ssl(server, fields)).toMatchObject(expected);
  });

  it("shows what it saw", async () => {
    const { details, latency_ms } = await ssl("good");
    expect(latency_ms).toBeGreaterThanOrEqual(0);
    expect(details).toEqual({
      protocol: "TLS 1.3",
      subject: "localhost",
      issuer: "Vigil Site CA",
      valid_from: expect.stringMatching(/^\d{4}-.*Z$/),
      valid_to: expect.stringMatching(/^\d{4}-.*Z$/),
      days_left: 89,
      is_self_signed: false,
      is_trusted: true,
      fingerprint_sha256: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
      chain: ["Vigil Site CA"],
    });
  });

  it("takes an address that the certificate names", async () => {
    expect(await run(sslProbe, `127.0.0.1:${servers.ports.good}`, {}, nodeIo)).toMatchObject({ outcome: "success" });
  });

  it("reads certificates that arrive in pieces", async () => {
    expect(await ssl("good", {}, edgeLike)).toMatchObject({ outcome: "success" });
    expect(await ssl("tls_1_2", {}, edgeLike)).toMatchObject({ outcome: "success" });
  });

  it("leaves no connection open", async () => {
    await ssl("good");
    await ssl("expired");
    await expect.poll(() => servers.openConnections()).toBe(0);
  });
});

describe("an https check that ignores certificates where fetch cannot", () => {
  const https = (server: keyof TlsPorts, path = "x", fields = {}) =>
    run(httpsProbe, `https://localhost:${servers.ports[server]}/${path}`, { verify_ssl: false, ...fields }, edgeLike);

  it.each([
    "good",
    "expired",
    "wrong_host",
    "self_signed",
    "asks_client",
    "second_choice",
  ] as const)("reads the answer of the server %j", async (server) => {
    expect(await https(server, "x", { expected_body: "all systems ok" })).toMatchObject({
      outcome: "success",
      message: "HTTP 200",
    });
  });

  it("sends method, path, headers and body", async () => {
    const fields = {
      http_method: "POST",
      http_headers: "X-Key: abc",
      http_body: "pïng",
      expected_body: '"method":"POST","url":"/a/b\\?c=d".*"x-key":"abc".*"content-length":"5".*"body":"pïng"',
      expected_body_match_type: "regex",
    };
    expect(await https("self_signed", "a/b?c=d", fields)).toMatchObject({ outcome: "success" });
  });

  it.each<[path: string, fields: object, expected: object]>([
    ["status/503", {}, { outcome: "failure", message: "HTTP 503 instead of a 2xx" }],
    ["status/204", {}, { outcome: "success" }],
    ["x", { http_method: "HEAD" }, { outcome: "success" }],
    ["sized", { expected_body: "sized", expected_body_match_type: "exact" }, { outcome: "success" }],
    ["big", { expected_body: "y" }, { outcome: "failure", message: 'body does not contain "y"' }],
    ["to/%2Fsized", { expected_body: "sized" }, { outcome: "success", details: { redirects: 1 } }],
    ["drop", {}, { outcome: "failure", cause: "connect" }],
  ])("judges %j with %j", async (path, fields, expected) => {
    expect(await https("self_signed", path, fields)).toMatchObject(expected);
  });

  it("says that a server without TLS 1.3 needs an agent", async () => {
    expect(await https("tls_1_2")).toMatchObject({
      outcome: "error",
      message: expect.stringContaining("needs an agent"),
    });
  });

  it("leaves no connection open", async () => {
    for (const path of ["x", "big", "status/503", "drop"]) await https("self_signed", path, { expected_body: "y" });
    await https("tls_1_2");
    await expect.poll(() => servers.openConnections()).toBe(0);
  });
});

describe("an https check that verifies", () => {
  it.each<[server: keyof TlsPorts, message: string]>([
    ["expired", "certificate of localhost expired 3 days ago"],
    ["not_yet", "certificate of localhost is not valid for another 2 days"],
    ["wrong_host", "certificate of localhost is for another name: other.example"],
    ["self_signed", "certificate of localhost is self-signed"],
    ["stranger", "certificate of localhost is not trusted, issued by Nobody's CA"],
  ])("says what is wrong with the server %j", async (server, message) => {
    const result = await run(httpsProbe, `https://localhost:${servers.ports[server]}/x`, {}, edgeLike);
    expect(result).toMatchObject({ outcome: "failure", cause: "tls", message, latency_ms: null });
  });

  it("never falls back to ignoring the certificate", async () => {
    const refusing: NetIo = { ...edgeLike, fetch: () => Promise.reject(new IoFault("unsupported", "not here")) };
    const result = await run(httpsProbe, `https://localhost:${servers.ports.good}/x`, {}, refusing);
    expect(result).toMatchObject({ outcome: "error", message: "not here" });
  });

  it("does not connect to a plain address by TLS", async () => {
    const refusing: NetIo = { ...edgeLike, fetch: () => Promise.reject(new IoFault("unsupported", "not here")) };
    const result = await run(httpProbe, `http://localhost:${servers.ports.good}/x`, { verify_ssl: false }, refusing);
    expect(result).toMatchObject({ outcome: "error", message: "not here" });
  });
});

describe("a TLS connection that someone tampers with", () => {
  /** Turns one bit of what the server sends. */
  const tampering = (position: number): NetIo => ({
    ...edgeLike,
    async connect(request) {
      const socket = await nodeIo.connect(request);
      let offset = 0;
      const read = async () => {
        const chunk = await socket.read();
        const index = position - offset;
        offset += chunk?.length ?? 0;
        return chunk && new Uint8Array(chunk.map((byte, n) => (n === index ? byte ^ 1 : byte)));
      };
      return { ...socket, read };
    },
  });
  const check = (position: number) => {
    const target = `https://localhost:${servers.ports.self_signed}/x`;
    const fields = { verify_ssl: false, expected_body: "all systems ok" };
    return runProbe(
      httpsProbe,
      { target, fields, timeout_seconds: 0.5, latency_threshold_ms: null },
      tampering(position),
    );
  };
  // The third byte is the minor version of the first record, which means nothing.
  const positions = [0, 1, 3, 4, ...Array.from({ length: 90 }, (_, n) => 5 + n * 11)];

  it("never ends in a success, whichever bit it was", async () => {
    const outcomes = await Promise.all(positions.map(async (position) => ({ position, ...(await check(position)) })));
    expect(outcomes.filter(({ outcome }) => outcome === "success")).toEqual([]);
    await expect.poll(() => servers.openConnections()).toBe(0);
  });

  it("is none where no bit was turned", async () => {
    expect(await check(-1)).toMatchObject({ outcome: "success" });
  });
});

describeServer("nginx", "an ssl or https check against nginx", () => {
  let nginx: RunningServer;
  beforeAll(async () => {
    nginx = await startNginx();
  }, 60_000);
  afterAll(() => nginx.stop());

  it.each(["tls_1_3", "tls_1_2", "rsa_era", "p_256"])("sees the certificate of %s", async (site) => {
    expect(await run(sslProbe, `localhost:${nginx.ports[site]}`, {}, nodeIo)).toMatchObject({ outcome: "success" });
  });

  it.each([
    ["tls_1_3", { outcome: "success" }],
    ["p_256", { outcome: "success" }],
    ["tls_1_2", { outcome: "error", message: expect.stringContaining("needs an agent") }],
  ])("ignores the certificate of %s, if it can", async (site, expected) => {
    const fields = { verify_ssl: false, expected_body: "nginx says hello" };
    const result = await run(httpsProbe, `https://localhost:${nginx.ports[site]}/`, fields, edgeLike);
    expect(result).toMatchObject(expected);
  });

  it("says that it agrees on nothing with a server of rare curves", async () => {
    expect(await run(sslProbe, `localhost:${nginx.ports.p_521}`, {}, nodeIo)).toMatchObject({
      outcome: "failure",
      message: "the server refused the TLS handshake: handshake_failure",
    });
  });
});
