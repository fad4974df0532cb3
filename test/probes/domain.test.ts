import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { NetIo } from "../../src/net/port.ts";
import { buildDomainProbe } from "../../src/probes/domain.ts";
import { runProbe } from "../../src/probes/run.ts";
import { nodeIo } from "../support/node-io.ts";
import { describeProbe } from "../support/probe-contract.ts";

/** Leads every request to one web server and every connection to one whois server, both on loopback. */
function loopback(ports: { http: number; whois: number }): NetIo {
  return {
    ...nodeIo,
    fetch: (request) => {
      const path = `/${request.url.hostname}${request.url.pathname}`;
      return nodeIo.fetch({ ...request, url: new URL(path, `http://127.0.0.1:${ports.http}`) });
    },
    connect: (request) => nodeIo.connect({ ...request, host: "127.0.0.1", port: ports.whois }),
  };
}

// Nothing that registries do is the domain's own failure.
describeProbe({
  probe: buildDomainProbe(),
  target: () => "example.com",
  io: (port) => loopback({ http: port, whois: port }),
  refusal: "error",
  silence: "error",
  garbage: "error",
  letters: "error",
});

describe("a domain check over real connections", () => {
  const servers: Server[] = [];
  let io: NetIo;
  beforeAll(async () => {
    const expiration = new Date(Date.now() + 100.5 * 86_400_000).toISOString();
    const documents: Record<string, object> = {
      "/data.iana.org/rdap/dns.json": { services: [[["com"], ["https://rdap.registry.example/"]]] },
      "/rdap.registry.example/domain/example.com": { events: [{ eventAction: "expiration", eventDate: expiration }] },
    };
    const http = createHttpServer((request, response) => {
      const document = documents[request.url ?? ""];
      response.writeHead(document ? 200 : 404, { "content-type": "application/rdap+json" });
      response.end(JSON.stringify(document ?? {}));
    });
    const answers: Record<string, string> = {
      "ru\r\n": "% IANA WHOIS server\r\n\r\nwhois:        whois.tcinet.ru\r\n",
      "example.ru\r\n": `domain:        EXAMPLE.RU\r\nstate:         REGISTERED\r\npaid-till:     ${expiration}\r\n`,
    };
    const whois = createServer((socket) => {
      socket.once("data", (question) => socket.end(answers[String(question)] ?? "% error"));
    });
    io = loopback({ http: await listen(http), whois: await listen(whois) });
    servers.push(http, whois);
  });
  afterAll(() => {
    for (const server of servers) server.close();
  });

  it.each([
    ["example.com", { outcome: "success", message: "example.com expires in 100 days", details: { source: "rdap" } }],
    ["example.ru", { outcome: "success", message: "example.ru expires in 100 days", details: { source: "whois" } }],
    ["other.com", { outcome: "failure", message: "other.com is not registered" }],
  ])("of %s", async (target, expected) => {
    const job = { target, fields: {}, timeout_seconds: 5, latency_threshold_ms: null };
    expect(await runProbe(buildDomainProbe(), job, io)).toMatchObject(expected);
  });
});

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}
