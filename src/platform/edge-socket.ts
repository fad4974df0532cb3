import { connect as openSocket } from "cloudflare:sockets";
import { IoFault } from "../lib/io-fault.ts";
import type { ConnectRequest, NetSocket } from "../net/port.ts";
import { now } from "./clock.ts";

/** How many addresses of one name are tried before it counts as unreachable. */
const ADDRESSES_MAX = 3;

/**
 * Opens a socket to a host whose addresses the egress guard has allowed; null where the platform resolves the name. In
 * clear the allowed address is the one connected to; TLS needs the name.
 */
export async function openEdgeSocket(request: ConnectRequest, addresses: readonly string[] | null): Promise<NetSocket> {
  const { host, tls, signal } = request;
  const hosts = tls === "off" ? (addresses ?? [host]).slice(0, ADDRESSES_MAX) : [host];
  let lastError: unknown;
  for (const candidate of hosts) {
    try {
      const socket = await open(candidate, request);
      socket.addresses = candidate === host ? (addresses ?? undefined) : [candidate];
      return socket;
    } catch (error) {
      signal.throwIfAborted();
      lastError = error;
    }
  }
  // The runtime gives one error for a refused connection and a bad certificate; a plain connection distinguishes them.
  if (tls === "on" && (await isListening(request, addresses))) throw tlsFault(lastError);
  throw new IoFault("connect", "connection refused", { cause: lastError });
}

export async function isListening(
  request: Omit<ConnectRequest, "tls">,
  addresses: readonly string[] | null,
): Promise<boolean> {
  try {
    (await openEdgeSocket({ ...request, tls: "off" }, addresses)).close();
    return true;
  } catch {
    return false;
  }
}

function tlsFault(cause: unknown): IoFault {
  return new IoFault("tls", "TLS handshake failed or certificate not valid", { cause });
}

async function open(host: string, { port, tls, signal }: ConnectRequest): Promise<EdgeSocket> {
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
  addresses: readonly string[] | undefined;
  #socket: Socket;
  #reader: ReadableStreamDefaultReader<Uint8Array>;
  #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #signal: AbortSignal;

  constructor(socket: Socket, signal: AbortSignal) {
    this.#signal = signal;
    this.#socket = socket;
    this.#reader = socket.readable.getReader();
    this.#writer = socket.writable.getWriter();
    ignoreFaults(socket, this.#reader, this.#writer);
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
    ignoreFaults(this.#socket, this.#reader, this.#writer);
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

/** Every promise of a socket rejects when it breaks; those without a consumer must not count as unhandled. */
function ignoreFaults(
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
