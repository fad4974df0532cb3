import { BufferedReader, type ByteSource, bodyChunks, readHead } from "./http-message.ts";
import type { NetRequest, NetResponse } from "./port.ts";

const BODILESS = [204, 205, 304];

/** A connection of bytes, in clear or over TLS. */
export interface ByteStream extends ByteSource {
  write(bytes: Uint8Array): Promise<void>;
  close(): void;
}

type ExchangeRequest = Pick<NetRequest, "url" | "method" | "headers"> & { body: string | Uint8Array | null };

/** One HTTP/1.1 request over a connection, which the end of the body closes (RFC 9112). */
export async function exchange(stream: ByteStream, request: ExchangeRequest): Promise<Omit<NetResponse, "latency_ms">> {
  try {
    await stream.write(bytesOf(request));
    const inbox = new BufferedReader(stream);
    const head = await readHead(inbox);
    const hasBody = request.method !== "HEAD" && !BODILESS.includes(head.status);
    const body = hasBody ? bodyStream(bodyChunks(head, inbox), stream) : null;
    if (!body) stream.close();
    return { ...head, body };
  } catch (error) {
    stream.close();
    throw error;
  }
}

/** The method and the headers were checked when the monitor was saved; a URL holds no line breaks. */
function bytesOf({ url, method, headers, body }: ExchangeRequest): Uint8Array {
  const content = body instanceof Uint8Array ? body : new TextEncoder().encode(body ?? "");
  const sent = {
    "accept-encoding": "identity",
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    host: url.host,
    connection: "close",
    ...(body === null ? {} : { "content-length": String(content.length) }),
  };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = latin1(`${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join("")}\r\n`);
  const bytes = new Uint8Array(head.length + content.length);
  bytes.set(head);
  bytes.set(content, head.length);
  return bytes;
}

function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** Closes the connection at the end of the body, at an error, and when the reader has had enough. */
function bodyStream(chunks: AsyncGenerator<Uint8Array>, connection: ByteStream): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (!done) return controller.enqueue(value);
        connection.close();
        controller.close();
      } catch (error) {
        connection.close();
        controller.error(error);
      }
    },
    cancel: () => connection.close(),
  });
}
