import { concatenate } from "../lib/bytes.ts";
import { IoFault } from "../lib/io-fault.ts";

/** Reads an HTTP/1.1 answer from bytes (RFC 9112), for connections that fetch cannot make. */

const HEAD_MAX = 64 * 1024;
const LINE_MAX = 8 * 1024;

export interface ByteSource {
  /** Null at the end. */
  read(): Promise<Uint8Array | null>;
}

export interface ResponseHead {
  status: number;
  status_text: string;
  headers: Headers;
}

/** Bytes in the order they came, taken by line or by count. */
export class BufferedReader {
  readonly #source: ByteSource;
  #unread: Uint8Array = new Uint8Array();

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** Without its line break. */
  async line(): Promise<string> {
    for (;;) {
      const end = this.#unread.indexOf(10);
      if (end >= 0) return new TextDecoder("latin1").decode(this.#take(end + 1)).replace(/\r?\n$/, "");
      if (this.#unread.length > LINE_MAX) throw notHttp();
      const chunk = await this.#source.read();
      if (!chunk) throw endedEarly();
      this.#unread = concatenate([this.#unread, chunk]);
    }
  }

  /** What is there, at most so many bytes; null at the end. */
  async some(lengthMax: number): Promise<Uint8Array | null> {
    if (this.#unread.length > 0) return this.#take(Math.min(lengthMax, this.#unread.length));
    const chunk = await this.#source.read();
    if (!chunk) return null;
    this.#unread = chunk;
    return this.#take(Math.min(lengthMax, chunk.length));
  }

  #take(length: number): Uint8Array {
    const taken = this.#unread.subarray(0, length);
    this.#unread = this.#unread.subarray(length);
    return taken;
  }
}

/** The head of the final answer; interim ones (1xx) are passed over. */
export async function readHead(inbox: BufferedReader): Promise<ResponseHead> {
  for (;;) {
    const [, digits, status_text = ""] = /^HTTP\/1\.[01] (\d{3})(?: (.*)|$)/.exec(await inbox.line()) ?? [];
    if (digits === undefined) throw notHttp();
    const status = Number(digits);
    const headers = await readHeaders(inbox);
    if (status >= 200) return { status, status_text, headers };
  }
}

async function readHeaders(inbox: BufferedReader): Promise<Headers> {
  const headers = new Headers();
  let length = 0;
  for (let line = await inbox.line(); line !== ""; line = await inbox.line()) {
    length += line.length;
    const colon = line.indexOf(":");
    if (colon < 1 || length > HEAD_MAX) throw notHttp();
    try {
      headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
    } catch (cause) {
      throw notHttp({ cause });
    }
  }
  return headers;
}

/** The pieces of the body, however its end is marked (RFC 9112, section 6.3). */
export function bodyChunks(head: ResponseHead, inbox: BufferedReader): AsyncGenerator<Uint8Array> {
  if (/\bchunked\s*$/i.test(head.headers.get("transfer-encoding") ?? "")) return chunkedBody(inbox);
  const length = head.headers.get("content-length");
  if (length === null) return restOf(inbox);
  if (!/^\d{1,15}$/.test(length)) throw notHttp();
  return exactly(inbox, Number(length));
}

async function* restOf(inbox: BufferedReader): AsyncGenerator<Uint8Array> {
  for (let chunk = await inbox.some(HEAD_MAX); chunk; chunk = await inbox.some(HEAD_MAX)) yield chunk;
}

async function* exactly(inbox: BufferedReader, length: number): AsyncGenerator<Uint8Array> {
  for (let left = length; left > 0; ) {
    const chunk = await inbox.some(left);
    if (!chunk) throw endedEarly();
    left -= chunk.length;
    yield chunk;
  }
}

async function* chunkedBody(inbox: BufferedReader): AsyncGenerator<Uint8Array> {
  for (;;) {
    const size = /^([0-9a-f]{1,8})\s*(?:;|$)/i.exec(await inbox.line())?.[1];
    if (size === undefined) throw notHttp();
    const length = Number.parseInt(size, 16);
    // Trailers are of no use to a check, and the connection ends with this answer.
    if (length === 0) return;
    yield* exactly(inbox, length);
    if ((await inbox.line()) !== "") throw notHttp();
  }
}

function notHttp(options?: ErrorOptions): IoFault {
  return new IoFault("protocol", "the answer is not valid HTTP", options);
}

function endedEarly(): IoFault {
  return new IoFault("connect", "connection closed before the answer was complete");
}
