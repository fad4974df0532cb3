import { once } from "node:events";
import { createServer } from "node:https";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { discoverServices } from "../../src/agent/discovery.ts";
import { findCertificateFault } from "../../src/agent/discovery-certificates.ts";
import { makeCertificate } from "../support/certificates.ts";
import { startTlsServers, type TlsServers } from "../support/tls-servers.ts";

describe("the certificate of a discovered service", () => {
  let servers: TlsServers;
  const trusted = getCACertificates("default");
  beforeAll(async () => {
    servers = await startTlsServers();
    setDefaultCACertificates([...trusted, servers.authority.certificate]);
  });
  afterAll(async () => {
    setDefaultCACertificates(trusted);
    await servers.stop();
  });

  it.each([
    ["good", null],
    ["self_signed", "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["stranger", "SELF_SIGNED_CERT_IN_CHAIN"],
    ["expired", "CERT_HAS_EXPIRED"],
    ["wrong_host", "ERR_TLS_CERT_ALTNAME_INVALID"],
  ] as const)("that is %s has the fault %s", async (name, fault) => {
    const found = await findCertificateFault({ host: "127.0.0.1", port: servers.ports[name] });
    expect(found).toBe(fault);
  });

  it("has none where nothing listens", async () => {
    expect(await findCertificateFault({ host: "127.0.0.1", port: 1 })).toBeNull();
  });
});

describe("a discovered service that begins with TLS", () => {
  // An address of loopback that nothing else listens on.
  const HOST = "127.83.71.9";
  const { certificate: cert, key } = makeCertificate({ name: "localhost", hosts: ["DNS:localhost"] });
  const server = createServer({ cert, key }, (_request, response) => void response.end("ok"));
  beforeAll(async () => {
    server.listen(8443, HOST);
    await once(server, "listening");
  });
  afterAll(() => void server.close());
  const socket = { protocol: "tcp", host: HOST, port: 8443, process: "web" } as const;

  it("is watched without verification where its certificate cannot be verified", async () => {
    expect(await discoverServices([socket, { ...socket, port: 6379, process: "redis" }])).toMatchObject([
      {
        name: "web on tcp port 8443",
        target: `https://${HOST}:8443/`,
        details: { type: "https", verify_ssl: false, certificate_fault: "DEPTH_ZERO_SELF_SIGNED_CERT" },
      },
      { target: `${HOST}:6379`, details: { type: "redis", protocol: "tcp", port: 6379, process: "redis" } },
    ]);
  });
});
