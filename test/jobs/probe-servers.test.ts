import { describe, expect, inject, it } from "vitest";
import type { ProbeResult } from "../../src/contract/check.ts";
import { buildEgress } from "../../src/platform/egress/guard.ts";
import { edgeIo } from "../../src/platform/probe-io.ts";
import { dnsProbe } from "../../src/probes/dns.ts";
import { imapProbe } from "../../src/probes/imap.ts";
import { mysqlProbe } from "../../src/probes/mysql.ts";
import { pop3Probe } from "../../src/probes/pop3.ts";
import type { Probe } from "../../src/probes/port.ts";
import { postgresProbe } from "../../src/probes/postgres.ts";
import { redisProbe } from "../../src/probes/redis.ts";
import { runProbe } from "../../src/probes/run.ts";
import { smtpProbe } from "../../src/probes/smtp.ts";
import { telnetProbe } from "../../src/probes/telnet.ts";

const ports = inject("servers");
const outside = inject("outside");

const settings = {
  EGRESS_ALLOW: ["127.0.0.1"],
  DOH_RESOLVERS: [`http://127.0.0.1:${outside.closed}/`, `http://127.0.0.1:${ports.doh}/resolve`],
  PUBLIC_URL: "",
  ROOT_SECRET: "a secret of sufficient length for tests",
};
const io = edgeIo(buildEgress(settings, { fetch: (url, init) => fetch(url, init), now: () => Date.now() }));
const run = (probe: Probe, target: string, fields = {}, timeout_seconds = 5): Promise<ProbeResult> =>
  runProbe(probe, { target, fields, timeout_seconds, latency_threshold_ms: null }, io);

describe("checks of servers in the Workers runtime", () => {
  it.each<[probe: Probe, message: string]>([
    [smtpProbe, "SMTP server ready"],
    [pop3Probe, "POP3 server ready"],
    [imapProbe, "IMAP server ready"],
    [telnetProbe, "Telnet server ready"],
    [redisProbe, "PONG"],
    [postgresProbe, "PostgreSQL server ready"],
    [mysqlProbe, "MySQL server ready"],
  ])("$type finds a healthy server up and measures it", async (probe, message) => {
    const port = ports[probe.type as keyof typeof ports];
    const result = await run(probe, `127.0.0.1:${port}`);
    expect(result).toMatchObject({ outcome: "success", message });
    expect(result.latency_ms).toBeGreaterThanOrEqual(0);
  });

  it.each<[probe: Probe, message: string]>([
    [pop3Probe, "POP3 login accepted"],
    [imapProbe, "IMAP login accepted"],
    [redisProbe, "PONG"],
    [postgresProbe, "SELECT 1 succeeded"],
    [mysqlProbe, "SELECT 1 succeeded"],
  ])("$type logs in with the right password only", async (probe, message) => {
    const target = (password: string) =>
      `${probe.type}://ann:${password}@127.0.0.1:${ports[probe.type as keyof typeof ports]}`;
    expect(await run(probe, target("secret"))).toMatchObject({ message, details: { logged_in: true } });
    expect(await run(probe, target("wrong"))).toMatchObject({
      outcome: "failure",
      cause: "status",
      message: expect.stringMatching(/^login refused/),
    });
  });

  it("dns asks the operator's resolvers, the next one where the first cannot be reached", async () => {
    const expected = { dns_expected: ["192.0.2.1"] };
    expect(await run(dnsProbe, "www.example.test", expected)).toMatchObject({
      outcome: "success",
      message: "A 192.0.2.1",
      details: { resolver: "127.0.0.1" },
    });
    expect((await run(dnsProbe, "none.example.test")).message).toBe("the name does not exist (NXDOMAIN)");
  });

  it("dns asks a server of the monitor's choice", async () => {
    const dns_server = `127.0.0.1:${ports.dns}`;
    expect(await run(dnsProbe, "www.example.test", { dns_server })).toMatchObject({ message: "A 192.0.2.1" });
    expect((await run(dnsProbe, "www.example.test", { dns_server: "10.0.0.1" })).outcome).toBe("error");
  });

  it("smtp says that port 25 cannot be reached from here", async () => {
    expect(await run(smtpProbe, "127.0.0.1")).toMatchObject({
      outcome: "error",
      message: "port 25 cannot be reached from here: use 587 or 465, or an agent",
    });
  });
});

describe("servers that misbehave, in the Workers runtime", () => {
  const PROBES = [smtpProbe, pop3Probe, imapProbe, redisProbe, postgresProbe, mysqlProbe];
  const cases = PROBES.flatMap((probe) =>
    (["closed", "silent", "garbage", "drip", "endless"] as const).map((name) => ({ type: probe.type, name, probe })),
  );

  it.each(cases)("$type fails on one that is $name, in time", async ({ probe, name }) => {
    const startedAt = Date.now();
    const result = await run(probe, `127.0.0.1:${outside[name]}`, {}, 0.5);
    expect(result).toMatchObject({ outcome: "failure", latency_ms: null });
    expect(Date.now() - startedAt).toBeLessThan(60_000);
  });

  it("a server that breaks off the TLS handshake is a failure of TLS", async () => {
    const result = await run(imapProbe, `127.0.0.1:${outside.garbage}`, { tls_mode: "on" });
    expect(result).toMatchObject({ outcome: "failure", cause: "tls" });
  });
});
