import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNodeIo } from "../../src/agent/node-io.ts";
import { agentGameServerProbe } from "../../src/agent/probes/game-server.ts";
import { networkDeviceProbe } from "../../src/agent/probes/network-device.ts";
import { icmpProbe, pingProbe } from "../../src/agent/probes/ping.ts";
import { snmpProbe } from "../../src/agent/probes/snmp.ts";
import { udpProbe } from "../../src/agent/probes/udp.ts";
import { runProbe } from "../../src/probes/run.ts";
import { smtpProbe } from "../../src/probes/smtp.ts";
import { makeCertificate } from "../support/certificates.ts";
import { checkInNode } from "../support/servers/checks.ts";
import { describeServer, type RunningServer } from "../support/servers/run-server.ts";
import { startSnmpd } from "../support/servers/snmpd.ts";

describeServer("ping", "a ping", () => {
  it.each([
    ["icmp", icmpProbe],
    ["ping", pingProbe],
  ])("of loopback is answered (%s)", async (_name, probe) => {
    expect(await checkInNode(probe, "127.0.0.1")).toMatchObject({
      outcome: "success",
      message: expect.stringMatching(/^answers in [\d.]+ ms$/),
      details: { packet_loss_percent: 0 },
    });
  });

  it("of a name that does not exist is a failure of the name", async () => {
    expect(await checkInNode(icmpProbe, "no-such-host.invalid", {}, 20)).toMatchObject({
      outcome: "failure",
      cause: "dns",
    });
  });

  it.each(["-f", "127.0.0.1/8", "a b", ""])("takes %j for no host", (text) => {
    expect(icmpProbe.parseTarget(text).ok).toBe(false);
  });
});

describe("a certificate that nobody trusts", () => {
  const { certificate: cert, key } = makeCertificate({ name: "localhost", hosts: ["DNS:localhost"] });
  const server = createTlsServer({ cert, key }, (socket) => {
    socket.on("error", () => {});
    socket.write("220 mail.lan ESMTP\r\n");
    socket.on("data", (line) => socket.write(String(line).startsWith("QUIT") ? "221 bye\r\n" : "250 mail.lan\r\n"));
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  afterAll(() => void server.close());

  it("is a failure, unless the monitor does not verify it", async () => {
    const { port } = server.address() as AddressInfo;
    const check = (fields: object) => {
      const job = { target: `smtps://localhost:${port}`, fields, timeout_seconds: 5, latency_threshold_ms: null };
      return runProbe(smtpProbe, job, createNodeIo(fields));
    };
    expect(await check({})).toMatchObject({ outcome: "failure", cause: "tls" });
    expect(await check({ verify_ssl: false })).toMatchObject({ outcome: "success", message: "SMTP server ready" });
  });
});

/** A socket on loopback that answers as `answer` says. */
async function serve(answer: (message: Buffer) => Buffer[] | null): Promise<{ port: number; socket: Socket }> {
  const socket = createSocket("udp4");
  socket.on("message", (message, { port, address }) => {
    for (const reply of answer(message) ?? []) socket.send(reply, port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { port: socket.address().port, socket };
}

describe("a udp check", () => {
  let echo: Awaited<ReturnType<typeof serve>>;
  let silent: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    [echo, silent] = await Promise.all([serve((message) => [message]), serve(() => null)]);
  });
  afterAll(() => {
    echo.socket.close();
    silent.socket.close();
  });
  const check = (port: number, fields: object = {}) => checkInNode(udpProbe, `127.0.0.1:${port}`, fields, 2);

  it("is a success when the reply is what was expected", async () => {
    const fields = { udp_payload: "hello \\x00\\x01", expected_body: "\\x00\\x01" };
    expect(await check(echo.port, fields)).toMatchObject({ outcome: "success", message: "reply of 8 bytes" });
    expect(await check(echo.port, { udp_payload: "hello", expected_body: "bye" })).toMatchObject({
      outcome: "failure",
      cause: "body",
    });
  });

  it("is a failure when the port refuses", async () => {
    const { port, socket } = await serve(() => null);
    socket.close();
    await once(socket, "close");
    expect(await check(port)).toMatchObject({ outcome: "failure", cause: "connect", message: "connection refused" });
  });

  it("says nothing about a silent port, unless a reply is expected", async () => {
    expect(await check(silent.port)).toMatchObject({ outcome: "error" });
    expect(await check(silent.port, { udp_payload: "hello" })).toMatchObject({ outcome: "failure", cause: "timeout" });
  });
});

/** A server that speaks Valve's query protocol: https://developer.valvesoftware.com/wiki/Server_queries */
function a2s(message: Buffer): Buffer[] | null {
  const head = Buffer.from([0xff, 0xff, 0xff, 0xff]);
  const text = (value: string) => Buffer.from(`${value}\0`);
  const isChallenged = message.subarray(-4).equals(Buffer.from([1, 2, 3, 4]));
  if (!isChallenged) return [Buffer.concat([head, Buffer.from([0x41, 1, 2, 3, 4])])];
  if (message[4] === 0x55) return [Buffer.concat([head, Buffer.from([0x44, 0])])];
  if (message[4] === 0x56) return [Buffer.concat([head, Buffer.from([0x45, 0, 0])])];
  const id = Buffer.from([0, 0, 7, 64, 0, 0x64, 0x6c, 0, 1]);
  return [
    Buffer.concat([
      head,
      Buffer.from([0x49, 17]),
      text("Northwind"),
      text("dunes"),
      text("rust"),
      text("Rust"),
      id,
      text("1.0"),
      Buffer.from([0]),
    ]),
  ];
}

describe("a query of a game server", () => {
  let server: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    server = await serve(a2s);
  });
  afterAll(() => void server.socket.close());

  it.each(["rust", "cs2", "ark", "valheim", "custom"])("finds a %s server with its players", async (game_type) => {
    const result = await checkInNode(agentGameServerProbe, `127.0.0.1:${server.port}`, { game_type });
    expect(result).toMatchObject({
      outcome: "success",
      message: "7 of 64 players online",
      details: { players: 7, max_players: 64, name: "Northwind", map: "dunes" },
    });
  }, 20_000);

  it("is a failure where nothing answers", async () => {
    const result = await checkInNode(agentGameServerProbe, "127.0.0.1:9", { game_type: "rust" }, 3);
    expect(result).toMatchObject({ outcome: "failure" });
  });
});

describeServer("snmpd", "snmp and network_device checks against Net-SNMP", () => {
  let server: RunningServer;
  const at = (login: string) => `snmp://${login}127.0.0.1:${server.ports.snmp}`;
  const NAME = { snmp_oid: "1.3.6.1.2.1.1.5.0" };
  const V3 = { snmp_version: "3", snmp_auth_protocol: "sha", snmp_privacy_protocol: "aes" };
  beforeAll(async () => {
    server = await startSnmpd();
  }, 60_000);
  afterAll(() => server.stop());

  it.each([
    ["1", "secret@", { snmp_version: "1" }],
    ["2c", "secret@", {}],
    ["2c, with the community as the password", ":secret@", {}],
    ["3, with privacy", "reader:a-long-password:another-password@", V3],
    ["3, without privacy", "plain:a-long-password@", { ...V3, snmp_auth_protocol: "md5" }],
  ])("reads a value by version %s", async (_name, login, fields) => {
    expect(await checkInNode(snmpProbe, at(login), { ...NAME, ...fields })).toMatchObject({
      outcome: "success",
      message: "value is rack-7",
    });
  });

  it.each([
    ["eq", "rack-7", "success"],
    ["eq", "rack-8", "failure"],
    ["contains", "rack", "success"],
  ])("compares it: %s %s is a %s", async (snmp_operator, snmp_value, outcome) => {
    expect(await checkInNode(snmpProbe, at("secret@"), { ...NAME, snmp_operator, snmp_value })).toMatchObject({
      outcome,
    });
  });

  it("says what a wrong community, a wrong password and a missing value are", async () => {
    const wrong = await checkInNode(snmpProbe, at("wrong@"), {}, 10);
    expect(wrong).toMatchObject({ outcome: "failure", message: expect.stringContaining("the community is wrong") });
    const refused = await checkInNode(snmpProbe, at("reader:not-the-password:another-password@"), V3);
    expect(refused).toMatchObject({ outcome: "failure", message: expect.stringContaining("refuses the user") });
    const missing = await checkInNode(snmpProbe, at("secret@"), { snmp_oid: "1.3.6.1.2.1.1.99.0" });
    expect(missing).toMatchObject({ outcome: "failure", message: "the device has no value at 1.3.6.1.2.1.1.99.0" });
  }, 30_000);

  it("finds a device with its interfaces, and one that is missing", async () => {
    expect(await checkInNode(networkDeviceProbe, at("secret@"), { components: ["lo"] })).toMatchObject({
      outcome: "success",
      message: expect.stringMatching(/^rack-7 answers, \d+ of \d+ interfaces up$/),
      details: { name: "rack-7", description: "Test switch" },
    });
    expect(await checkInNode(networkDeviceProbe, at("secret@"), { components: ["ge-0/0/1"] })).toMatchObject({
      outcome: "failure",
      message: "interface ge-0/0/1 does not exist",
    });
  });
});
