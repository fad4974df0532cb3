import { IoFault } from "../lib/io-fault.ts";
import { BufferedReader, bodyChunks, readHead } from "../net/http-message.ts";
import type { NetIo, NetRequest, NetResponse } from "../net/port.ts";
import { serverName } from "../net/tls/host.ts";
import { openUnverified, type TlsStream } from "../net/tls/stream.ts";

const BODILESS = [204, 205, 304];

/**
 * Sends a request by `io.fetch`; where the place cannot ignore a certificate (`verify_tls` false), by our own TLS 1.3 and
 * HTTP/1.1 over a plain socket instead. A certificate that is to be verified never comes here.
 */
export async function fetchWithOptionalVerification(io: NetIo, request: NetRequest): Promise<NetResponse> {
  try {
    return await io.fetch(request);
  } catch (error) {
    const isOurs = error instanceof IoFault && error.kind === "unsupported";
    if (!isOurs || request.verify_tls || request.url.protocol !== "https:") throw error;
    return fetchUnverified(io, request);
  }
}

async function fetchUnverified(io: NetIo, request: NetRequest): Promise<NetResponse> {
  const { url, method, signal } = request;
  const socket = await io.connect({ host: url.hostname, port: Number(url.port) || 443, tls: "off", signal });
  const openedAt = io.now();
  const stream = await openUnverified(socket, { server_name: serverName(url.hostname), alpn: ["http/1.1"] });
  try {
    await stream.write(bytesOf(request));
    const inbox = new BufferedReader(stream);
    const head = await readHead(inbox);
    const latency_ms = socket.latency_ms + io.now() - openedAt;
    const hasBody = method !== "HEAD" && !BODILESS.includes(head.status);
    const body = hasBody ? bodyStream(bodyChunks(head, inbox), stream) : null;
    if (!body) stream.close();
    return { ...head, body, latency_ms };
  } catch (error) {
    stream.close();
    throw error;
  }
}

/** The method and the headers were judged when the monitor was saved; a URL holds no line breaks. */
function bytesOf({ url, method, headers, body }: NetRequest): Uint8Array {
  const content = new TextEncoder().encode(body ?? "");
  const sent = {
    "accept-encoding": "identity",
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    host: url.host,
    connection: "close",
    // Like every request that leaves, so that a service which checks itself can tell.
    "x-monitor-hop": "1",
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
function bodyStream(chunks: AsyncGenerator<Uint8Array>, connection: TlsStream): ReadableStream<Uint8Array> {
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
