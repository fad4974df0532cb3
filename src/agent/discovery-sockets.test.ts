import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listListeningSockets, parseTable } from "./discovery-sockets.ts";

const HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
const row = (local: string, state: string, inode = 7) =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  1000        0 ${inode} 1 0\n`;

it.each([
  ["an IPv4 address", "0100007F:1538", "127.0.0.1", 5432],
  ["a private address", "0500000A:0050", "10.0.0.5", 80],
  ["all addresses", "00000000:01BB", "127.0.0.1", 443],
  ["all IPv6 addresses", "00000000000000000000000000000000:0016", "127.0.0.1", 22],
  ["IPv6 loopback", "00000000000000000000000001000000:0016", "[::1]", 22],
  ["an IPv4 address in IPv6", "0000000000000000FFFF00000100007F:0016", "127.0.0.1", 22],
])("a socket table is read: %s", (_name, local, host, port) => {
  expect(parseTable(HEAD + row(local, "0A"), "0A")).toEqual([{ host, port, inode: "7" }]);
});

it("a socket that does not listen is none of a service", () => {
  expect(parseTable(HEAD + row("0100007F:1538", "01"), "0A")).toEqual([]);
});

describe("listening sockets of this host", () => {
  const server = createServer();
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  afterAll(() => void server.close());

  it("hold a server that this process started, with its name", () => {
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const found = listListeningSockets().find((socket) => socket.port === port);
    expect(found).toMatchObject({ protocol: "tcp", host: "127.0.0.1", process: expect.stringMatching(/./) });
  });
});
