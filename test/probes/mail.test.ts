import type { AddressInfo } from "node:net";
import { createServer } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { imapProbe } from "../../src/probes/imap.ts";
import { pop3Probe } from "../../src/probes/pop3.ts";
import { smtpProbe } from "../../src/probes/smtp.ts";
import { makeCertificate } from "../support/certificates.ts";
import { describeProbe } from "../support/probe-contract.ts";
import { checkInNode } from "../support/servers/checks.ts";
import { startDovecot } from "../support/servers/dovecot.ts";
import { startExim } from "../support/servers/exim.ts";
import { describeServer, type RunningServer } from "../support/servers/run-server.ts";

const PROBES = [smtpProbe, pop3Probe, imapProbe];
for (const probe of PROBES) describeProbe({ probe, target: (port) => `127.0.0.1:${port}` });

describeServer("exim4", "an smtp check against Exim", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startExim();
  }, 60_000);
  afterAll(() => server.stop());

  it.each([
    ["in clear", "plain", "smtp", "off", { tls: false, starttls_offered: true }],
    ["by STARTTLS", "plain", "smtp", "starttls", { tls: true, starttls_offered: true }],
    ["with TLS from the start", "tls", "smtps", null, { tls: true }],
  ])("finds it up %s", async (_name, port, scheme, tls_mode, details) => {
    const result = await checkInNode(smtpProbe, `${scheme}://localhost:${server.ports[port]}`, { tls_mode });
    expect(result).toMatchObject({ outcome: "success", message: "SMTP server ready", details });
    expect(result.details.greeting).toMatch(/^\S+ ESMTP Exim /);
  });

  it("fails where STARTTLS is wanted and not offered", async () => {
    const result = await checkInNode(smtpProbe, `localhost:${server.ports.bare}`, { tls_mode: "starttls" });
    expect(result).toMatchObject({ outcome: "failure", cause: "tls", message: "the server does not offer STARTTLS" });
  });
});

describeServer("dovecot", "imap and pop3 checks against Dovecot", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startDovecot();
  }, 60_000);
  afterAll(() => server.stop());

  const ways = [imapProbe, pop3Probe].flatMap((probe) => [
    { probe, name: `${probe.type} in clear`, scheme: probe.type, tls_mode: null, tls: false },
    { probe, name: `${probe.type} by STARTTLS`, scheme: probe.type, tls_mode: "starttls", tls: true },
    { probe, name: `${probe.type}s`, scheme: `${probe.type}s`, tls_mode: null, tls: true },
  ]);

  it.each(ways)("$name: ready without a login, and judged by the login it was given", async (way) => {
    const check = (login: string) =>
      checkInNode(way.probe, `${way.scheme}://${login}localhost:${server.ports[way.scheme]}`, {
        tls_mode: way.tls_mode,
      });
    const name = way.probe.type.toUpperCase();
    expect(await check("")).toMatchObject({
      outcome: "success",
      message: `${name} server ready`,
      details: { tls: way.tls, logged_in: false },
    });
    expect(await check("ann:pass%20%22word%22@")).toMatchObject({
      outcome: "success",
      message: `${name} login accepted`,
      details: { logged_in: true },
    });
    expect(await check("ann:wrong@")).toMatchObject({ outcome: "failure", cause: "status", message: "login refused" });
  });
});

describe("a certificate that nobody vouches for", () => {
  const { certificate, key } = makeCertificate({ name: "localhost", hosts: ["DNS:localhost"] });
  const server = createServer({ cert: certificate, key }, (socket) => socket.on("error", () => {}));
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it.each(PROBES)("fails the check of $type", async (probe) => {
    const { port } = server.address() as AddressInfo;
    const result = await checkInNode(probe, `localhost:${port}`, { tls_mode: "on" });
    expect(result).toMatchObject({ outcome: "failure", cause: "tls", message: "certificate is not trusted" });
  });
});
