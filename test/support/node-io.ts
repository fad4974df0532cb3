import { type ClientRequest, type IncomingMessage, request as sendPlain } from "node:http";
import { request as sendTls } from "node:https";
import { connect as connectTcp, type Socket } from "node:net";
import { Readable } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { ConnectRequest, ProbeIo, ProbeRequest, ProbeResponse, ProbeSocket } from "../../src/net/port.ts";

/** The outside as plain Node reaches it, without a guard: lets a probe meet a real server in a test. */
export const nodeIo: ProbeIo = {
  now: () => Date.now(),
  resolvers: [],
  fetch: exchange,
  async connect(request) {
    const startedAt = Date.now();
    const socket = await opened(dial(request), request.tls === "on" ? "secureConnect" : "connect", request.signal);
    return { ...socketOf(socket, request), latency_ms: Date.now() - startedAt };
  },
};

/** By node:http, because Node's fetch keeps a connection that is still being made when its signal fires. */
function exchange({ url, method, headers, body, verify_tls, signal }: ProbeRequest): Promise<ProbeResponse> {
  const sentAt = Date.now();
  return new Promise((resolve, reject) => {
    const send: typeof sendTls = url.protocol === "https:" ? sendTls : sendPlain;
    const request = send(url.href, { method, headers, agent: false, rejectUnauthorized: verify_tls });
    abortWith(signal, request);
    request.on("error", reject);
    request.on("response", (answer: IncomingMessage) => {
      const pairs = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
      const stream = Readable.toWeb(answer) as unknown as ReadableStream<Uint8Array>;
      const latency_ms = Date.now() - sentAt;
      resolve({ status: answer.statusCode ?? 0, headers: new Headers(pairs), body: stream, latency_ms });
    });
    request.end(body ?? undefined);
  });
}

function dial({ host, port, tls }: ConnectRequest): Socket {
  const bare = host.replace(/^\[|\]$/g, "");
  return tls === "on" ? connectTls({ host: bare, port, servername: bare }) : connectTcp({ host: bare, port });
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

function socketOf(first: Socket, { host, signal }: ConnectRequest): Omit<ProbeSocket, "latency_ms"> {
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
      socket = await opened(connectTls({ socket, servername: host }), "secureConnect", signal);
      chunks = socket[Symbol.asyncIterator]();
    },
    close: () => void socket.destroy(),
  };
}
