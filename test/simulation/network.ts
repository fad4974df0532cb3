import type { Clock } from "./clock.ts";
import { lostConnection } from "./isolate.ts";
import type { Random } from "./random.ts";

/** An address on the open net, as every name of the simulation resolves. */
const ADDRESS = "93.184.215.14";
const RESOLVER = "cloudflare-dns.com";
const RECORD_A = 1;
const NXDOMAIN = 3;

export interface Reply {
  /** How long it takes; Infinity for never. */
  after: number;
  /** Null: the connection is lost instead. */
  status: number | null;
}

export interface Received {
  url: URL;
  headers: Headers;
  body: string;
}

/** Decides what a host answers; called when the request has arrived. */
export type Host = (received: Received) => Reply;

/** Everything outside of the service: name servers, targets of checks and receivers of alerts. */
export class Network {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #hosts = new Map<string, Host>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  open(name: string, host: Host): void {
    this.#hosts.set(name, host);
  }

  async fetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
    const url = new URL(input instanceof Request ? input.url : input);
    const signal = init.signal ?? null;
    await this.#wait(this.#random.between(1, 40), signal);
    if (url.hostname === RESOLVER) return this.#resolve(url);
    const host = this.#hosts.get(url.hostname);
    if (!host) throw lostConnection();
    const { after, status } = host({ url, headers: new Headers(init.headers), body: String(init.body ?? "") });
    await this.#wait(after, signal);
    if (status === null) throw lostConnection();
    return new Response(null, { status });
  }

  #resolve(url: URL): Response {
    const name = url.searchParams.get("name") ?? "";
    const isKnown = this.#hosts.has(name);
    const hasAddress = isKnown && url.searchParams.get("type") === "A";
    const Answer = hasAddress ? [{ name, type: RECORD_A, TTL: 60, data: ADDRESS }] : [];
    return Response.json({ Status: isKnown ? 0 : NXDOMAIN, Answer });
  }

  #wait(ms: number, signal: AbortSignal | null): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const cancel = ms === Infinity ? () => {} : this.#clock.after(ms, resolve);
      signal?.addEventListener("abort", () => {
        cancel();
        reject(signal.reason);
      });
    });
  }
}
