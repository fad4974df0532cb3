import { describe, expect, it } from "vitest";
import { scriptedIo } from "../../test/support/scripted-io.ts";
import { runProbe } from "./run.ts";
import { sslProbe } from "./ssl.ts";

describe("targets of ssl monitors", () => {
  it.each([
    ["example.com", { host: "example.com", port: 443 }],
    [" https://example.com/path?x#y ", { host: "example.com", port: 443 }],
    ["TLS://mail.example.com:993", { host: "mail.example.com", port: 993 }],
    ["192.0.2.1", { host: "192.0.2.1", port: 443 }],
    ["[2606:4700::1]", { host: "[2606:4700::1]", port: 443 }],
    ["[2606:4700::1]:8443", { host: "[2606:4700::1]", port: 8443 }],
  ])("%j is taken", (text, value) => {
    expect(sslProbe.parseTarget(text)).toEqual({ ok: true, value });
  });

  it.each([
    "",
    "https://",
    "http://example.com",
    "user@example.com",
    "exa mple.com",
    "example.com:0",
    "example.com:x",
  ])("%j is refused", (text) => {
    expect(sslProbe.parseTarget(text).ok).toBe(false);
  });
});

describe("the fields of an ssl monitor", () => {
  it.each([
    [undefined, 14],
    [null, 14],
    [0, 0],
    [365, 365],
  ])("warning days %j are read as %j", (ssl_expiry_warning_days, expected) => {
    expect(sslProbe.options.parse({ ssl_expiry_warning_days })).toEqual({ ssl_expiry_warning_days: expected });
  });

  it.each([-1, 366, 1.5, "14"])("warning days %j are refused", (ssl_expiry_warning_days) => {
    expect(sslProbe.options.safeParse({ ssl_expiry_warning_days }).success).toBe(false);
  });
});

/** Answers that a server may give to a ClientHello, as text because all their bytes are below 128. */
const alert = (level: number, description: number) => String.fromCharCode(21, 3, 3, 0, 2, level, description);
const handshake = (...message: number[]) => String.fromCharCode(22, 3, 3, 0, message.length, ...message);

describe("a server that does not show a certificate", () => {
  it.each<[name: string, reads: string[], message: string]>([
    ["speaks HTTP", ["HTTP/1.1 400 Bad Request\r\n"], "the server does not speak TLS"],
    ["greets as a mail server", ["220 mail.example ESMTP\r\n"], "the server does not speak TLS"],
    ["closes at once", [], "the server closed the connection during the TLS handshake"],
    [
      "closes in the middle of a record",
      [handshake(2, 0, 0, 40).slice(0, 7)],
      "the server closed the connection during the TLS handshake",
    ],
    ["refuses the version", [alert(2, 70)], "the server refused the TLS handshake: protocol_version"],
    ["does not know the name", [alert(2, 112)], "the server refused the TLS handshake: unrecognized_name"],
    ["gives an unknown alert", [alert(2, 99)], "the server refused the TLS handshake: alert 99"],
    ["only warns, then closes", [alert(1, 112)], "the server closed the connection during the TLS handshake"],
    ["sends records without meaning", [handshake().repeat(30)], "the server's part of the TLS handshake is not valid"],
    ["answers with another message", [handshake(11, 0, 0, 0)], "the server's part of the TLS handshake is not valid"],
    [
      "sends a ServerHello too short",
      [handshake(2, 0, 0, 2, 3, 3)],
      "the server's part of the TLS handshake is not valid",
    ],
    ["announces a message too long", [handshake(2, 127, 0, 0)], "the server's part of the TLS handshake is not valid"],
  ])("%s: said so", async (_name, reads, message) => {
    const io = scriptedIo({ connect: [reads] });
    const job = { target: "a.example", fields: {}, timeout_seconds: 5, latency_threshold_ms: null };
    expect(await runProbe(sslProbe, job, io)).toMatchObject({ outcome: "failure", cause: "tls", message });
    expect(io.openSockets()).toBe(0);
  });
});
