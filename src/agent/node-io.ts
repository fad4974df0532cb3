import { randomUUID, type X509Certificate } from "node:crypto";
import { getServers } from "node:dns";
import { type ClientRequest, type IncomingMessage, request as sendPlain } from "node:http";
import { request as sendTls } from "node:https";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { PassThrough, pipeline, Readable } from "node:stream";
import { connect as connectTls, TLSSocket } from "node:tls";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { ConnectRequest, NetIo, NetRequest, NetResponse, NetSocket, Notice, Noticed } from "../net/port.ts";
import { CHAIN_MAX, describeTls } from "../net/tls/certificate.ts";
import { bareHost, Reach, UNRESTRICTED } from "./reach.ts";

const DNS_PORT = 53;

/** The fields of a monitor that say how its connections are made. */
export interface NodeIoFields {
  /** False accepts every certificate, for each kind of TLS. */
  verify_ssl?: unknown;
}

/** The network as Node reaches it, as far as the host lets monitors go. */
export function createNodeIo({ verify_ssl }: NodeIoFields = {}, reach = new Reach(UNRESTRICTED)): NetIo {
  const verifies = verify_ssl !== false;
  return {
    now: () => Date.now(),
    newId: () => randomUUID(),
    resolvers: [],
    async fetch(request) {
      reach.requireHost(request.url.hostname);
      reach.requireMethod(request.method);
      return exchange({ ...request, verify_tls: request.verify_tls && verifies }, reach);
    },
    async connect(request) {
      // Where clouds have it, the host's own name server has a closed address.
      if (request.port !== DNS_PORT || !getServers().includes(bareHost(request.host))) reach.requireHost(request.host);
      const startedAt = Date.now();
      const dialed = dial(request, { verifies, reach });
      const { port, notice } = request;
      const isTls = request.tls === "on";
      if (notice) watch(dialed, { port, startedAt, isTls, notice });
      const socket = await opened(dialed, isTls ? "secureConnect" : "connect", request.signal);
      const latency_ms = Date.now() - startedAt;
      return { ...probeSocket(socket, request, verifies), latency_ms, addresses: addressesOf(socket) };
    },
  };
}

/** By node:http, because Node's fetch keeps a connection that is still being made when its signal fires. */
function exchange(
  { url, method, headers, body, verify_tls, signal, notice }: NetRequest,
  { lookup }: Reach,
): Promise<NetResponse> {
  const sentAt = Date.now();
  return new Promise((resolve, reject) => {
    const send: typeof sendTls = url.protocol === "https:" ? sendTls : sendPlain;
    const request = send(url.href, { method, headers, agent: false, rejectUnauthorized: verify_tls, lookup });
    abortWith(signal, request);
    let readyAt = sentAt;
    if (notice) {
      const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
      request.on("socket", (socket) => watch(socket, { port, startedAt: sentAt, isTls: send === sendTls, notice }));
      request.on("socket", (socket) => {
        socket.once(send === sendTls ? "secureConnect" : "connect", () => {
          readyAt = Date.now();
        });
      });
    }
    request.on("error", reject);
    request.on("response", (answer: IncomingMessage) => {
      const answeredAt = Date.now();
      const latency_ms = answeredAt - sentAt;
      notice?.({ first_byte_ms: answeredAt - readyAt });
      if (notice) answer.once("end", () => notice({ transfer_ms: Date.now() - answeredAt }));
      const pairs = Object.entries(answer.headers).flatMap(([name, value]) =>
        // Cookies are the one header that is never joined into one line.
        [value].flat().map((each): [string, string] => [name, String(each)]),
      );
      const stream = Readable.toWeb(decoded(answer)) as unknown as ReadableStream<Uint8Array>;
      resolve({
        status: answer.statusCode ?? 0,
        status_text: answer.statusMessage,
        headers: new Headers(pairs),
        body: stream,
        latency_ms,
        addresses: addressesOf(answer.socket),
      });
    });
    request.end(body ?? undefined);
  });
}

interface Watched {
  port: number;
  startedAt: number;
  isTls: boolean;
  notice: Notice;
}

/** Notices each step of a connection while it is made. */
function watch(socket: Socket, { port, startedAt, isTls, notice }: Watched): void {
  const answers: string[] = [];
  let begunAt = startedAt;
  socket.on("lookup", (error, address, _family, name) => {
    if (!error && address) answers.push(String(address));
    begunAt = Date.now();
    notice({ lookup: { name, answers, server: getServers()[0] ?? null, latency_ms: begunAt - startedAt } });
  });
  socket.on("connectionAttempt", (address) => notice({ connection: { address, port, latency_ms: null } }));
  socket.once("connect", () => {
    const connectedAt = Date.now();
    const connect_ms = connectedAt - begunAt;
    notice({ connect_ms, connection: { address: socket.remoteAddress ?? null, port, latency_ms: connect_ms } });
    if (isTls && socket instanceof TLSSocket) {
      socket.once("secureConnect", () => notice({ tls_ms: Date.now() - connectedAt, tls: seenOf(socket) }));
    }
  });
}

/** Of a handshake that was accepted. Why one was not, the check finds by a connection of its own. */
function seenOf(socket: TLSSocket): NonNullable<Noticed["tls"]> {
  const own = socket.getPeerX509Certificate();
  const chain: X509Certificate[] = [];
  for (let each = own; each && chain.length < CHAIN_MAX; each = each.issuerCertificate) {
    if (chain.at(-1)?.fingerprint256 === each.fingerprint256) break;
    chain.push(each);
  }
  return describeTls(socket.getProtocol()?.replace("v", " ") ?? null, chain);
}

function addressesOf({ remoteAddress }: Socket): string[] | undefined {
  return remoteAddress === undefined ? undefined : [remoteAddress];
}

const DECODERS: Record<string, () => NodeJS.ReadWriteStream> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Some servers compress without being asked to. */
function decoded(answer: IncomingMessage): Readable {
  const decoder = DECODERS[answer.headers["content-encoding"]?.trim().toLowerCase() ?? ""];
  if (!decoder) return answer;
  const output = new PassThrough();
  pipeline(answer, decoder(), output, () => {});
  return output;
}

/** Without brackets; as the name in a handshake an address is not allowed. */
function tlsNames(host: string): { host: string; servername?: string } {
  const bare = host.replace(/^\[|\]$/g, "");
  return isIP(bare) ? { host: bare } : { host: bare, servername: bare };
}

function dial(
  { host, port, tls }: ConnectRequest,
  { verifies, reach: { lookup } }: { verifies: boolean; reach: Reach },
): Socket {
  const names = tlsNames(host);
  return tls === "on"
    ? connectTls({ ...names, port, rejectUnauthorized: verifies, lookup })
    : connectTcp({ host: names.host, port, lookup });
}

function opened(socket: Socket, event: "connect" | "secureConnect", signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    abortWith(signal, socket);
    socket.once("error", reject);
    socket.once(event, () => resolve(socket));
  });
}

function abortWith(signal: AbortSignal, connection: Socket | ClientRequest): void {
  const abort = () => connection.destroy(signal.reason instanceof Error ? signal.reason : undefined);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  connection.once("close", () => signal.removeEventListener("abort", abort));
}

function probeSocket(
  first: Socket,
  { host, signal }: ConnectRequest,
  verifies: boolean,
): Omit<NetSocket, "latency_ms"> {
  let socket = first;
  let chunks = socket[Symbol.asyncIterator]();
  return {
    async read() {
      const { done, value } = await chunks.next();
      return done ? null : value;
    },
    write: (bytes) =>
      new Promise((resolve, reject) => {
        socket.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    async startTls() {
      const secure = connectTls({ socket, ...tlsNames(host), rejectUnauthorized: verifies });
      socket = await opened(secure, "secureConnect", signal);
      chunks = socket[Symbol.asyncIterator]();
    },
    close: () => void socket.destroy(),
  };
}
