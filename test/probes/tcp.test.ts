import { type AddressInfo, createServer, type Server } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { TCP_PROTOCOLS, type TcpProtocol } from "../../src/contract/tcp-check.ts";
import { tcpProbe } from "../../src/probes/tcp.ts";
import { describeProbe } from "../support/probe-contract.ts";
import { checkInNode } from "../support/servers/checks.ts";
import { startGreeter } from "../support/servers/greeters.ts";
import { describeServer, type RunningServer } from "../support/servers/run-server.ts";

const target = (port: number) => `127.0.0.1:${port}`;

describeProbe({ probe: tcpProbe, target, silence: "success", garbage: "success", letters: "success" });

for (const tcp_protocol of TCP_PROTOCOLS) {
  describeProbe({ probe: tcpProbe, target, fields: { tcp_protocol } });
}

const SERVERS: [command: string, protocol: TcpProtocol, message: RegExp, expected: string][] = [
  ["sshd", "ssh", /^SSH: SSH-2\.0-OpenSSH_/, "OpenSSH"],
  ["vsftpd", "ftp", /^FTP: \(vsFTPd /, "vsFTPd"],
  ["memcached", "memcached", /^Memcached: \d+\.\d+\.\d+/, "."],
  ["slapd", "ldap", /^LDAP: anonymous bind accepted$/, "accepted"],
];

for (const [command, tcp_protocol, message, expected] of SERVERS) {
  describeServer(command, `a tcp check that speaks ${tcp_protocol} with ${command}`, () => {
    let server: RunningServer;
    beforeAll(async () => {
      server = await startGreeter(command);
    }, 60_000);
    afterAll(() => server.stop());
    const check = (fields: object) => checkInNode(tcpProbe, target(server.ports.plain ?? 0), fields);

    it("finds it up by what it says of itself", async () => {
      const found = { outcome: "success", message: expect.stringMatching(message) };
      expect(await check({ tcp_protocol })).toMatchObject(found);
      expect(await check({ tcp_protocol, expected_banner: expected })).toMatchObject(found);
    });

    it("fails where it is another one than expected, and says which", async () => {
      const result = await check({ tcp_protocol, expected_banner: "Klingon" });
      expect(result).toMatchObject({ outcome: "failure", cause: "protocol" });
      expect(result.message).toMatch(/ says ".+", expected "Klingon"$/);
    });

    it("fails where another protocol is spoken", async () => {
      const others = TCP_PROTOCOLS.filter((each) => each !== tcp_protocol);
      for (const other of others) {
        const job = { tcp_protocol: other };
        const result = await checkInNode(tcpProbe, target(server.ports.plain ?? 0), job, 2);
        expect(result).toMatchObject({ outcome: "failure" });
      }
    });
  });
}

it.each<[protocol: TcpProtocol, said: string, message: string]>([
  ["ssh", `${"prelude\r\n".repeat(60)}SSH-2.0-x\r\n`, "the answer is not valid SSH"],
  ["ssh", "SSH-1.5-old\r\n", "the answer is not valid SSH 2"],
  ["ftp", "421 too many connections\r\n", "the server refuses with 421"],
  ["ftp", "220-more\r\n".repeat(200), "the answer is not valid FTP"],
  ["memcached", "ERROR\r\n", "the answer is not valid Memcached"],
  ["ldap", "0\x84\x7f\x7f\x7f\x7f", "the answer is not valid LDAP"],
  ["ldap", "0\x0c\x02\x01\x01a\x07\x0a\x01\x34\x04\x00\x04\x00", "the bind was refused with result 52"],
])("recognises a %s server that misbehaves: %j", async (tcp_protocol, said, message) => {
  const server: Server = createServer((socket) => {
    socket.on("error", () => {});
    socket.end(Buffer.from(said, "latin1"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const result = await checkInNode(tcpProbe, target(port), { tcp_protocol });
    expect(result).toMatchObject({ outcome: "failure", message });
  } finally {
    server.close();
  }
});
