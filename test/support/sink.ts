import { afterEach, beforeEach, vi } from "vitest";

export interface Received {
  url: string;
  method: string;
  headers: Headers;
  body: string;
  /** The body, where it is no text. */
  bytes: Uint8Array<ArrayBuffer>;
}

export interface Sink {
  /** Everything that left, in order. */
  received: Received[];
  /** Answers the next requests to this address, one after the other; a request beyond them fails the test. */
  answer(url: string, ...answers: SinkAnswer[]): void;
  /** Answers every request below this address to which nothing else was said. */
  serve(base: string, server: (request: Received) => Promise<Response> | Response): void;
}

/** A status, a whole response, or what happens instead of one. */
export type SinkAnswer =
  | number
  | Response
  | ((request: Received, signal: AbortSignal | null | undefined) => Promise<Response> | Response);

/** The endpoint accepts and says nothing until the caller gives up. */
export const hang: SinkAnswer = (_request, signal) =>
  new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));

export const refuseConnection: SinkAnswer = () => {
  throw new TypeError("Network connection lost to 203.0.113.7:443.");
};

/** Stands in for the outside in every test of the file. */
export function useSink(): Sink {
  const scripts = new Map<string, SinkAnswer[]>();
  const servers = new Map<string, (request: Received) => Promise<Response> | Response>();
  const sink: Sink = {
    received: [],
    answer: (url, ...answers) => void scripts.set(url, [...(scripts.get(url) ?? []), ...answers]),
    serve: (base, server) => void servers.set(base, server),
  };
  beforeEach(() => {
    scripts.clear();
    sink.received.length = 0;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const request = new Request(input, { ...init, signal: null });
      const bytes = new Uint8Array(await request.arrayBuffer());
      const received = {
        url: request.url,
        method: request.method,
        headers: request.headers,
        body: new TextDecoder().decode(bytes),
        bytes,
      };
      sink.received.push(received);
      const [, server] = [...servers].find(([base]) => request.url.startsWith(base)) ?? [];
      const answer = scripts.get(request.url)?.shift() ?? server;
      if (answer === undefined) throw new Error(`unexpected request to ${request.url}`);
      if (typeof answer === "number") return new Response(null, { status: answer });
      return answer instanceof Response ? answer : answer(received, init?.signal);
    });
  });
  afterEach(() => vi.restoreAllMocks());
  return sink;
}
