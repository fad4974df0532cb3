import { connect as openSocket } from "cloudflare:sockets";
import { IoFault } from "../lib/io-fault.ts";
import type { ConnectRequest, NetIo, NetRequest, NetResponse, NetSocket } from "../net/port.ts";
import { now } from "./clock.ts";
import { addressOf, isCloudflare } from "./egress/address.ts";
import type { Egress } from "./egress/guard.ts";

/**
 * What a Worker offers to probes. The runtime's errors hide their reason (a refused connection, an unknown name and a bad
 * certificate look alike), so after a failed exchange a plain connection to the same port tells which it was.
 */
export function edgeIo(egress: Egress): NetIo {
  return {
    now,
    resolvers: egress.resolvers,
    fetch: (request) => probeFetch(egress, request),
    connect: (request) => probeConnect(egress, request),
  };
}

/** How many addresses of one name are tried before it counts as unreachable. */
const ADDRESSES_MAX = 3;

async function probeFetch(egress: Egress, request: NetRequest): Promise<NetResponse> {
  const { url, method, headers, body, signal } = request;
  if (url.protocol === "https:" && !request.verify_tls) {
    const verdict = egress.checkLiteral(url, "check");
    if (!verdict.ok) throw new IoFault(verdict.fault, verdict.reason);
    throw new IoFault("unsupported", "fetch cannot ignore certificates (verify_ssl false) here");
  }
  try {
    const sent = await egress.guardedFetch(url, { method, headers, body, purpose: "check", signal });
    const { status, headers: answered, body: stream } = sent.response;
    return { status, headers: answered, body: stream, latency_ms: sent.latency_ms };
  } catch (error) {
    if (error instanceof IoFault || signal.aborted) throw error;
    throw await explainFetch(egress, url, error, signal);
  }
}

async function explainFetch(egress: Egress, url: URL, error: unknown, signal: AbortSignal): Promise<unknown> {
  const message = error instanceof Error ? error.message : "";
  const isLost = message.startsWith("Network connection lost");
  if (!isLost && !message.startsWith("internal error")) return error;
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  const isOpen = await isListening(egress, { host: url.hostname, port, signal });
  if (signal.aborted) return error;
  if (isLost) return new IoFault("connect", isOpen ? "connection closed before a valid answer" : "connection refused");
  if (isOpen && url.protocol === "https:") return new IoFault("tls", "TLS handshake failed or certificate not valid");
  if (isOpen) return new IoFault("protocol", "the answer is not valid HTTP");
  return addressOf(url.hostname)
    ? new IoFault("connect", "host is not reachable")
    : new IoFault("dns", "the name does not resolve");
}

async function isListening(egress: Egress, request: Omit<ConnectRequest, "tls">): Promise<boolean> {
  try {
    (await probeConnect(egress, { ...request, tls: "off" })).close();
    return true;
  } catch {
    return false;
  }
}

async function probeConnect(egress: Egress, request: ConnectRequest): Promise<NetSocket> {
  const { host, port, tls, signal } = request;
  const verdict = await egress.checkResolved({ host, port }, "check", signal);
  if (!verdict.ok) throw new IoFault(verdict.fault, verdict.reason);
  // In clear the address that was judged is the one connected to; TLS needs the name.
  const hosts = tls === "off" ? (verdict.addresses ?? [verdict.host]).slice(0, ADDRESSES_MAX) : [verdict.host];
  let lastError: unknown;
  for (const candidate of hosts) {
    try {
      return await open(candidate, request);
    } catch (error) {
      signal.throwIfAborted();
      lastError = error;
    }
  }
  if (tls === "on" && (await isListening(egress, request))) throw tlsFault(lastError);
  const addresses = (verdict.addresses ?? []).flatMap((address) => addressOf(address) ?? []);
  if (addresses.length > 0 && addresses.every(isCloudflare)) {
    throw new IoFault("unsupported", "the host is behind Cloudflare, which only http and https checks can reach");
  }
  throw new IoFault("connect", "connection refused", { cause: lastError });
}

function tlsFault(cause: unknown): IoFault {
  return new IoFault("tls", "TLS handshake failed or certificate not valid", { cause });
}

async function open(host: string, { port, tls, signal }: ConnectRequest): Promise<NetSocket> {
  signal.throwIfAborted();
  const hostname = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  const startedAt = now();
  const socket = openSocket({ hostname, port }, { secureTransport: tls, allowHalfOpen: false });
  const open = new EdgeSocket(socket, signal);
  try {
    await untilAborted(socket.opened, signal);
  } catch (error) {
    open.close();
    throw error;
  }
  open.latency_ms = now() - startedAt;
  return open;
}

class EdgeSocket implements NetSocket {
  latency_ms = 0;
  #socket: Socket;
  #reader: ReadableStreamDefaultReader<Uint8Array>;
  #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #signal: AbortSignal;

  constructor(socket: Socket, signal: AbortSignal) {
    this.#signal = signal;
    this.#socket = socket;
    this.#reader = socket.readable.getReader();
    this.#writer = socket.writable.getWriter();
    silence(socket, this.#reader, this.#writer);
  }

  async read(): Promise<Uint8Array | null> {
    const { done, value } = await untilAborted(this.#reader.read(), this.#signal);
    return done ? null : value;
  }

  write(bytes: Uint8Array): Promise<void> {
    return untilAborted(this.#writer.write(bytes), this.#signal);
  }

  async startTls(): Promise<void> {
    this.#reader.releaseLock();
    this.#writer.releaseLock();
    this.#socket = this.#socket.startTls();
    this.#reader = this.#socket.readable.getReader();
    this.#writer = this.#socket.writable.getWriter();
    silence(this.#socket, this.#reader, this.#writer);
    try {
      await untilAborted(this.#socket.opened, this.#signal);
    } catch (error) {
      this.close();
      this.#signal.throwIfAborted();
      throw tlsFault(error);
    }
  }

  /** Not awaited: closing a socket that is still connecting never ends. */
  close(): void {
    this.#socket.close().catch(() => {});
  }
}

/** Every promise of a socket rejects when it breaks; those nobody waits for must not be reported as unhandled. */
function silence(
  socket: Socket,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  writer: WritableStreamDefaultWriter<Uint8Array>,
): void {
  for (const promise of [socket.opened, socket.closed, reader.closed, writer.closed]) promise.catch(() => {});
}

/** Sockets know no signal: waits for the operation or the signal, whichever comes first. */
function untilAborted<T>(operation: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    operation.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
