import { IoFault } from "../lib/io-fault.ts";
import { exchange } from "../net/http-exchange.ts";
import { openEdgeSocket } from "./edge-socket.ts";

/** Where the caller sets no limit of its own. */
const TIMEOUT_MS = 30_000;

/** Encodings that the runtime decodes; a server may send one although none was accepted. */
const DECODERS: Readonly<Record<string, "gzip" | "deflate">> = { gzip: "gzip", "x-gzip": "gzip", deflate: "deflate" };

/**
 * One request to a literal address, over a socket. A Worker's own `fetch` cannot reach an address: it answers 403 with
 * "error code: 1003" (https://developers.cloudflare.com/workers/platform/known-issues/#fetch-to-ip-addresses).
 */
export async function fetchBySocket(url: URL, init: RequestInit): Promise<Response> {
  const isSecure = url.protocol === "https:";
  const port = Number(url.port) || (isSecure ? 443 : 80);
  const signal = init.signal ?? AbortSignal.timeout(TIMEOUT_MS);
  const socket = await openEdgeSocket({ host: url.hostname, port, tls: isSecure ? "on" : "off", signal }, null);
  const { status, headers, body } = await exchange(socket, {
    url,
    method: init.method ?? "GET",
    headers: Object.fromEntries(new Headers(init.headers)),
    body: typeof init.body === "string" || init.body instanceof Uint8Array ? init.body : null,
  });
  const decoder = DECODERS[headers.get("content-encoding")?.toLowerCase() ?? ""];
  const decoded = body && decoder ? body.pipeThrough<Uint8Array>(new DecompressionStream(decoder)) : body;
  try {
    return new Response(decoded, { status, headers });
  } catch (cause) {
    await body?.cancel();
    throw new IoFault("protocol", "the answer is not valid HTTP", { cause });
  }
}
