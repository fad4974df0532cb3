import { z } from "zod";
import { learnColo } from "../colo.ts";

/** `nothing`: the name has no address. `unavailable`: no resolver answered us, which says nothing about the name. */
export type Resolution =
  | { kind: "addresses"; addresses: string[]; asked?: Asked }
  | { kind: "nothing"; asked?: Asked }
  | { kind: "unavailable" };

/** Which resolver answered, and how long it took; null: it was asked for an earlier check. */
export interface Asked {
  server: string;
  latency_ms: number | null;
}

export type Resolve = (name: string, signal: AbortSignal) => Promise<Resolution>;

/** Asks the resolvers over one connection at a time instead of two. */
export interface ResolveOptions {
  one_at_a_time?: boolean;
}

export interface DohParts {
  resolvers: readonly string[];
  fetch: (url: URL, init: RequestInit) => Promise<Response>;
  now: () => number;
}

const RECORDS = { A: 1, AAAA: 28 } as const;
const NOERROR = 0;
const NXDOMAIN = 3;
const RESOLVER_TIMEOUT_MS = 3000;
const CACHE_MS = 60_000;
const CACHE_ENTRIES = 1000;

/** https://developers.cloudflare.com/1.1.1.1/encryption/dns-over-https/make-api-requests/dns-json/ */
const Answer = z.object({
  Status: z.number(),
  Answer: z.array(z.object({ type: z.number(), TTL: z.number(), data: z.string() })).default([]),
});
type Answer = z.infer<typeof Answer>;

/** Asks the resolvers in order for A and AAAA over HTTPS and remembers positive answers for a minute at most. */
export function dohResolver(
  parts: DohParts,
): (name: string, signal: AbortSignal, options?: ResolveOptions) => Promise<Resolution> {
  const cache = new Map<string, { addresses: string[]; server: string; expires_at: number }>();

  const remember = (name: string, found: { addresses: string[]; server: string }, ttlMs: number) => {
    const oldest = cache.size >= CACHE_ENTRIES ? cache.keys().next().value : undefined;
    if (oldest !== undefined) cache.delete(oldest);
    cache.set(name, { ...found, expires_at: parts.now() + Math.min(ttlMs, CACHE_MS) });
  };

  return async (name, signal, options = {}) => {
    // Reserved never to exist, so no resolver needs to be asked: RFC 6761, section 6.4.
    if (name.endsWith(".invalid")) return { kind: "nothing" };
    const known = cache.get(name);
    if (known && known.expires_at > parts.now()) {
      const { addresses, server } = known;
      return { kind: "addresses", addresses, asked: { server, latency_ms: null } };
    }
    cache.delete(name);
    let someoneAnswered = false;
    for (const resolver of parts.resolvers) {
      const startedAt = parts.now();
      const answers = await queryBoth({ ...parts, ...options }, resolver, name, signal);
      if (!answers) continue;
      const asked = { server: new URL(resolver).host, latency_ms: parts.now() - startedAt };
      const records = answers.flatMap(addressRecords);
      const addresses = records.map((record) => record.data);
      if (addresses.length > 0) {
        const ttlMs = Math.min(...records.map((record) => record.TTL)) * 1000;
        remember(name, { addresses, server: asked.server }, ttlMs);
        return { kind: "addresses", addresses, asked };
      }
      if (answers.every((answer) => answer.Status === NOERROR || answer.Status === NXDOMAIN))
        return { kind: "nothing", asked };
      someoneAnswered = true;
    }
    return { kind: someoneAnswered ? "nothing" : "unavailable" };
  };
}

async function queryBoth(
  parts: DohParts & ResolveOptions,
  resolver: string,
  name: string,
  signal: AbortSignal,
): Promise<Answer[] | null> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(RESOLVER_TIMEOUT_MS)]);
  const queryFor = (record: keyof typeof RECORDS) => query(parts, resolver, name, record, within);
  try {
    if (parts.one_at_a_time) return [await queryFor("A"), await queryFor("AAAA")];
    return await Promise.all([queryFor("A"), queryFor("AAAA")]);
  } catch {
    return null;
  }
}

async function query(
  parts: DohParts,
  resolver: string,
  name: string,
  record: keyof typeof RECORDS,
  signal: AbortSignal,
): Promise<Answer> {
  const url = new URL(resolver);
  url.searchParams.set("name", name);
  url.searchParams.set("type", record);
  const response = await parts.fetch(url, { headers: { accept: "application/dns-json" }, signal });
  learnColo(response.headers);
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`resolver answered HTTP ${response.status}`);
  }
  return Answer.parse(await response.json());
}

function addressRecords(answer: Answer): Answer["Answer"] {
  const wanted: readonly number[] = Object.values(RECORDS);
  return answer.Answer.filter((record) => wanted.includes(record.type));
}
