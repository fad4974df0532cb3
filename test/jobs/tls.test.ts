import { describe, expect, inject, it } from "vitest";
import type { ProbeResult } from "../../src/contract/check.ts";
import type { NetIo } from "../../src/net/port.ts";
import { buildEgress } from "../../src/platform/egress/guard.ts";
import { edgeIo } from "../../src/platform/probe-io.ts";
import { httpProbe, httpsProbe } from "../../src/probes/http.ts";
import type { Probe } from "../../src/probes/port.ts";
import { runProbe } from "../../src/probes/run.ts";
import { sslProbe } from "../../src/probes/ssl.ts";
import type { TlsPorts } from "../support/tls-servers.ts";

const ports = inject("tls");
const outside = inject("outside");

function edge(allow: string[]): NetIo {
  const settings = {
    EGRESS_ALLOW: allow,
    DOH_RESOLVERS: [],
    PUBLIC_URL: "",
    ROOT_SECRET: "a secret of sufficient length for tests",
  };
  return edgeIo(buildEgress(settings, { fetch: (url, init) => fetch(url, init), now: () => Date.now() }));
}
const io = edge(["127.0.0.1", "localhost"]);

const run = (probe: Probe, target: string, fields = {}, place = io, timeout_seconds = 5): Promise<ProbeResult> =>
  runProbe(probe, { target, fields, timeout_seconds, latency_threshold_ms: null }, place);
const https = (server: keyof TlsPorts, path = "x", fields = {}) =>
  run(httpsProbe, `https://localhost:${ports[server]}/${path}`, fields);

// The runtime trusts no authority of the tests, so that even the good certificate is a stranger's here.
const SEEN: [server: keyof TlsPorts, message: string][] = [
  ["good", "certificate of localhost is not trusted, issued by Vigil Site CA"],
  ["expired", "certificate of localhost expired 3 days ago"],
  ["not_yet", "certificate of localhost is not valid for another 2 days"],
  ["wrong_host", "certificate of localhost is for another name: other.example"],
  ["self_signed", "certificate of localhost is self-signed"],
  ["stranger", "certificate of localhost is not trusted, issued by Nobody's CA"],
  ["tls_1_2", "certificate of localhost is not trusted, issued by Vigil Site CA"],
];

describe("an ssl check in the Workers runtime", () => {
  it.each(SEEN)("sees the certificate of the server %j", async (server, message) => {
    const result = await run(sslProbe, `localhost:${ports[server]}`);
    expect(result).toMatchObject({ outcome: "failure", cause: "tls", message });
    expect(result.details).toMatchObject({ protocol: server === "tls_1_2" ? "TLS 1.2" : "TLS 1.3" });
  });

  it("calls a certificate good that the platform accepts", async () => {
    const trusting: NetIo = { ...io, connect: (request) => io.connect({ ...request, tls: "off" }) };
    expect(await run(sslProbe, `localhost:${ports.good}`, {}, trusting)).toMatchObject({
      outcome: "success",
      message: "certificate of localhost expires in 89 days",
      details: { is_trusted: true, subject: "localhost", chain: ["Vigil Site CA"] },
    });
  });

  it("takes an address that the certificate names", async () => {
    const result = await run(sslProbe, `127.0.0.1:${ports.good}`);
    expect(result.message).toBe("certificate of 127.0.0.1 is not trusted, issued by Vigil Site CA");
  });

  it.each([
    ["a closed port", outside.closed, { outcome: "failure", cause: "connect", message: "connection refused" }],
    ["a server without TLS", outside.garbage, { outcome: "failure", cause: "tls" }],
    [
      "a silent server",
      outside.silent,
      { outcome: "failure", cause: "timeout", message: expect.stringMatching(/^timed out after 3(\.\d)? s$/) },
    ],
  ])("reports %s", async (_name, port, expected) => {
    expect(await run(sslProbe, `127.0.0.1:${port}`, {}, io, 3)).toMatchObject(expected);
  });
});

describe("an https check in the Workers runtime", () => {
  it.each(SEEN)("says what it has against the certificate of the server %j", async (server, message) => {
    expect(await https(server)).toMatchObject({ outcome: "failure", cause: "tls", message, latency_ms: null });
  });

  it("says that a server has no TLS at all", async () => {
    const result = await run(httpsProbe, `https://127.0.0.1:${outside.http}/ok`);
    expect(result).toMatchObject({ outcome: "failure", cause: "tls", message: "the server does not speak TLS" });
  });
});

describe("an https check that ignores certificates in the Workers runtime", () => {
  const ignoring = (server: keyof TlsPorts, path = "x", fields = {}) =>
    https(server, path, { verify_ssl: false, ...fields });

  it.each([
    "good",
    "expired",
    "wrong_host",
    "self_signed",
    "asks_client",
    "second_choice",
  ] as const)("reads the answer of the server %j", async (server) => {
    const result = await ignoring(server, "x", { expected_body: "all systems ok" });
    expect(result).toMatchObject({ outcome: "success", message: "HTTP 200" });
  });

  it("says when the certificate expires where that is asked for", async () => {
    const target = `https://localhost:${ports.good}/x`;
    const job = { target, fields: { verify_ssl: false }, timeout_seconds: 5, latency_threshold_ms: null };
    const { details } = await runProbe(httpsProbe, { ...job, reads_certificate: true }, io);
    const { details: inspected } = await run(sslProbe, `localhost:${ports.good}`);
    expect(details).toEqual({ status_code: 200, redirects: 0, certificate_expires_at: inspected.valid_to });
    expect((await runProbe(httpsProbe, job, io)).details).toEqual({ status_code: 200, redirects: 0 });
    const clear = { ...job, target: `http://127.0.0.1:${outside.http}/ok`, reads_certificate: true };
    expect((await runProbe(httpProbe, clear, io)).details).not.toHaveProperty("certificate_expires_at");
  });

  it("sends a body and reads as much of an answer as any check", async () => {
    const fields = { http_method: "POST", http_body: "ping", expected_body: '"body":"ping"' };
    expect(await ignoring("self_signed", "x", fields)).toMatchObject({ outcome: "success" });
    const message = 'body does not contain "y"';
    expect(await ignoring("self_signed", "big", { expected_body: "y" })).toMatchObject({ outcome: "failure", message });
  });

  it("says that a server without TLS 1.3 needs an agent", async () => {
    const message = expect.stringContaining("needs an agent");
    expect(await ignoring("tls_1_2")).toMatchObject({ outcome: "error", message });
  });

  it("keeps to the rules about where a check may go", async () => {
    const target = `https://127.0.0.1:${ports.self_signed}/x`;
    const result = await run(httpsProbe, target, { verify_ssl: false }, edge([]));
    expect(result).toMatchObject({ outcome: "error", message: '"127.0.0.1" is a loopback address' });
    const away = encodeURIComponent("https://169.254.169.254/latest/meta-data");
    expect(await ignoring("self_signed", `to/${away}`)).toMatchObject({
      outcome: "failure",
      message: "redirects to an address that may not be reached",
    });
  });
});
