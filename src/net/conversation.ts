import type { ProbeResult } from "../contract/check.ts";
import { concatenate } from "../lib/bytes.ts";
import { IoFault } from "../lib/io-fault.ts";
import { classifyError, type ProbeFailure, resultOf } from "./faults.ts";
import type { ConnectRequest, NetIo, NetSocket } from "./port.ts";

const LINE_MAX = 8 * 1024;
/** More than any response that a probe needs; bounds a server that sends without end. */
const TOTAL_MAX = 256 * 1024;
const LINE_FEED = 10;

type Details = Record<string, unknown>;

/**
 * Opens a connection, lets `talk` speak the protocol over it and always closes it. `talk` returns the message
 * of a success or a finding, throws an IoFault for a failure on the way, and notes in `details` what it learns. Latency is all the
 * time from opening the connection to the verdict.
 */
export async function converse(
  request: Omit<ConnectRequest, "signal">,
  io: NetIo,
  signal: AbortSignal,
  talk: (conversation: Conversation, details: Details) => Promise<string | ProbeFailure>,
): Promise<ProbeResult> {
  const startedAt = io.now();
  const details: Details = {};
  let socket: NetSocket | null = null;
  try {
    socket = await io.connect({ ...request, signal });
    const openedAt = io.now();
    const verdict = await talk(new Conversation(socket), details);
    const latency_ms = socket.latency_ms + io.now() - openedAt;
    const finding = typeof verdict === "string" ? { outcome: "success" as const, message: verdict } : verdict;
    return { ...finding, latency_ms, details };
  } catch (error) {
    return { ...resultOf(classifyError(error, signal, io.now() - startedAt)), details };
  } finally {
    socket?.close();
  }
}

export function protocolFault(protocol: string): IoFault {
  return new IoFault("protocol", `the answer is not valid ${protocol}`);
}

/** A connection read by lines or by counted bytes, with a bound on everything. */
export class Conversation {
  readonly #socket: NetSocket;
  #buffered = new Uint8Array();
  #received = 0;

  constructor(socket: NetSocket) {
    this.#socket = socket;
  }

  async write(data: string | Uint8Array): Promise<void> {
    await this.#socket.write(typeof data === "string" ? new TextEncoder().encode(data) : data);
  }

  /** Sends a closing line without waiting for a reply. */
  async farewell(data: string | Uint8Array): Promise<void> {
    await this.write(data).catch(() => {});
  }

  /** One line without its end. */
  async readLine(): Promise<string> {
    let searched = 0;
    for (;;) {
      const end = this.#buffered.indexOf(LINE_FEED, searched);
      if (end >= 0) return new TextDecoder().decode(this.#take(end + 1)).replace(/\r?\n$/, "");
      searched = this.#buffered.length;
      if (searched > LINE_MAX) throw new IoFault("protocol", "the answer has a line without end");
      await this.#receive();
    }
  }

  async readBytes(count: number): Promise<Uint8Array> {
    if (count > TOTAL_MAX) throw new IoFault("protocol", "the answer is too long");
    while (this.#buffered.length < count) await this.#receive();
    return this.#take(count);
  }

  /** The bytes that have arrived, at least one. */
  async readSome(): Promise<Uint8Array> {
    while (this.#buffered.length === 0) await this.#receive();
    return this.#take(this.#buffered.length);
  }

  /** What came in clear after the agreement to encrypt was put there by someone else: CVE-2011-0411. */
  async startTls(): Promise<void> {
    if (this.#buffered.length > 0) throw new IoFault("protocol", "the server talked on before TLS began");
    await this.#socket.startTls();
  }

  #take(count: number): Uint8Array {
    const taken = this.#buffered.slice(0, count);
    this.#buffered = this.#buffered.slice(count);
    return taken;
  }

  async #receive(): Promise<void> {
    const chunk = await this.#socket.read();
    if (chunk === null) throw new IoFault("connect", "connection closed before a valid answer");
    this.#received += chunk.length;
    if (this.#received > TOTAL_MAX) throw new IoFault("protocol", "the answer is too long");
    this.#buffered = concatenate([this.#buffered, chunk]);
  }
}
