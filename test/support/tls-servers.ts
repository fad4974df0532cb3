import { createServer, type ServerOptions } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { type Authority, type Identity, makeCertificate } from "./certificates.ts";

/** HTTPS servers on loopback, one for each thing that can be right or wrong with a certificate of `localhost`. */
export interface TlsPorts {
  good: number;
  tls_1_2: number;
  expired: number;
  soon: number;
  not_yet: number;
  wrong_host: number;
  self_signed: number;
  /** Issued by an authority that nobody trusts. */
  stranger: number;
  /** Cannot agree on anything with a client that has no certificate. */
  asks_client: number;
  /** Only ciphers and curves of the second choice. */
  second_choice: number;
}

export interface TlsServers {
  ports: TlsPorts;
  /** Has signed all but `self_signed` and `stranger`. */
  authority: Authority;
  /** What `good` shows. */
  good: Identity;
  openConnections(): number;
  stop(): Promise<void>;
}

export async function startTlsServers(): Promise<TlsServers> {
  const authority = makeCertificate({ name: "Vigil Site CA" });
  const issued = makeIdentities(authority);
  const servers = {
    good: { ...issued.good },
    tls_1_2: { ...issued.good, maxVersion: "TLSv1.2" },
    expired: { ...issued.expired },
    soon: { ...issued.soon },
    not_yet: { ...issued.not_yet },
    wrong_host: { ...issued.wrong_host },
    self_signed: { ...issued.self_signed },
    stranger: { ...issued.stranger },
    asks_client: { ...issued.good, requestCert: true, rejectUnauthorized: false },
    second_choice: { ...issued.good, ecdhCurve: "P-256", ciphers: "TLS_AES_256_GCM_SHA384", minVersion: "TLSv1.3" },
  } satisfies Record<keyof TlsPorts, Identity & ServerOptions>;
  const running = await Promise.all(
    Object.entries(servers).map(async ([name, options]) => ({
      name,
      ...(await start({ ...options, cert: options.certificate + options.issuer_certificate })),
    })),
  );
  return {
    // One entry a key of `servers`, which has the names of TlsPorts.
    ports: Object.fromEntries(running.map(({ name, port }) => [name, port])) as unknown as TlsPorts,
    authority,
    good: issued.good,
    openConnections: () => running.reduce((sum, server) => sum + server.openConnections(), 0),
    stop: async () => void (await Promise.all(running.map((server) => server.stop()))),
  };
}

function makeIdentities(issuer: Authority) {
  const hosts = ["DNS:localhost", "IP:127.0.0.1"];
  return {
    good: makeCertificate({ name: "localhost", hosts, issuer }),
    expired: makeCertificate({ name: "localhost", hosts, issuer, to_days: -3.5 }),
    soon: makeCertificate({ name: "localhost", hosts, issuer, to_days: 5.5 }),
    not_yet: makeCertificate({ name: "localhost", hosts, issuer, from_days: 2.5 }),
    wrong_host: makeCertificate({ name: "other.example", hosts: ["DNS:other.example"], issuer }),
    self_signed: makeCertificate({ name: "localhost", hosts }),
    stranger: makeCertificate({ name: "localhost", hosts, issuer: makeCertificate({ name: "Nobody's CA" }) }),
  };
}

async function start(options: ServerOptions) {
  const connections = new Set<Socket>();
  const server = createServer(options, (request, response) => {
    const [, name, argument] = (request.url ?? "").split("/");
    if (name === "status") return void response.writeHead(Number(argument)).end();
    if (name === "to") return void response.writeHead(302, { location: decodeURIComponent(argument ?? "") }).end();
    if (name === "big") return void response.end("x".repeat(3 * 1024 * 1024));
    if (name === "sized") return void response.writeHead(200, { "content-length": 6 }).end("sized\n");
    if (name === "drop") return void request.socket.destroy();
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url, headers } = request;
      // Several writes, so that the answer is chunked.
      response.write("all systems ok\n");
      response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
    });
  });
  server.on("clientError", () => {}).on("tlsClientError", () => {});
  server.on("connection", (socket: Socket) => {
    connections.add(socket);
    socket.on("close", () => connections.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of connections) socket.destroy();
    });
  return { port, stop, openConnections: () => connections.size };
}
