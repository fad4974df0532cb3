import { IoFault } from "../lib/io-fault.ts";
import { discard, readResponseBody } from "../net/http-body.ts";
import type { NetIo } from "../net/port.ts";
import { type Hop, nextHop, redirectLocation } from "./http-hop.ts";
import { parseJson } from "./json-assertions.ts";

const REDIRECTS_MAX = 3;
const HEADERS = { "user-agent": "Vigil/1.0 (uptime check)", accept: "application/json, application/rdap+json" };

export interface JsonAnswer {
  status: number;
  /** Undefined unless the status is 200. */
  value: unknown;
  latency_ms: number;
}

/** Asks for a JSON document of at most one MiB. Throws an IoFault when what is there is none. */
export async function getJson(io: NetIo, url: URL, signal: AbortSignal): Promise<JsonAnswer> {
  let hop: Hop = { url, method: "GET", headers: {}, body: null };
  let latency_ms = 0;
  for (let redirects = 0; ; redirects++) {
    const response = await io.fetch({ ...hop, headers: HEADERS, verify_tls: true, signal });
    const { status, headers, body } = response;
    latency_ms += response.latency_ms;
    if (status === 200) {
      const { text, isCut } = await readResponseBody(body, headers.get("content-type"));
      const parsed = parseJson(text);
      if (isCut || !parsed.ok) throw new IoFault("protocol", "the answer is not JSON");
      return { status, value: parsed.value, latency_ms };
    }
    await discard(body);
    const location = redirectLocation(status, headers);
    const next = location === null ? null : nextHop(hop, status, location);
    if (!next?.ok || redirects === REDIRECTS_MAX) return { status, value: undefined, latency_ms };
    hop = next.value;
  }
}
