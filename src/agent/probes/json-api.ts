import type { ApiCheck } from "../../contract/infrastructure-check.ts";
import { IoFault } from "../../lib/io-fault.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { NetIo } from "../../net/port.ts";
import type { ApiTarget } from "../../probes/agent-types.ts";

export type JsonObject = Record<string, unknown>;

/** Lists of a large cluster are long, but not endless. */
const BODY_MAX = 16 * 1024 * 1024;
const OWN_HEADERS = { "user-agent": "Vigil agent", accept: "application/json" };

export interface ApiRequest {
  method?: "GET" | "POST" | "DELETE";
  headers?: Record<string, string>;
  body?: string;
}
export interface ApiAnswer {
  status: number;
  text: string;
}

/** An API over HTTP, at the address of a monitor and with its headers. */
export class JsonApi {
  readonly #io: NetIo;
  readonly #root: URL;
  readonly #headers: Record<string, string>;
  readonly #options: Pick<ApiCheck, "verify_ssl">;
  readonly #signal: AbortSignal;

  constructor(
    target: Extract<ApiTarget, { kind: "url" }>,
    options: Pick<ApiCheck, "http_headers" | "verify_ssl">,
    { io, signal }: { io: NetIo; signal: AbortSignal },
  ) {
    const { credentials } = target;
    const pair = credentials && Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64");
    this.#io = io;
    this.#root = target.url;
    this.#headers = { ...OWN_HEADERS, ...(pair && { authorization: `Basic ${pair}` }), ...options.http_headers };
    this.#options = options;
    this.#signal = signal;
  }

  /** Any answer, with any status. `path` is below the address of the monitor. */
  async send(path: string, { method = "GET", headers = {}, body }: ApiRequest = {}): Promise<ApiAnswer> {
    const base = this.#root.pathname.replace(/\/+$/, "");
    const response = await this.#io.fetch({
      url: new URL(`${base}${path}`, this.#root),
      method,
      headers: { ...this.#headers, ...headers },
      body: body ?? null,
      verify_tls: this.#options.verify_ssl,
      signal: this.#signal,
    });
    return { status: response.status, text: await readText(response.body) };
  }

  /** The document of an answer with status 2xx; throws what a person can act on for any other. */
  async json(path: string, request: ApiRequest = {}): Promise<unknown> {
    const { status, text } = await this.send(path, request);
    requireOk(status, path);
    return parseJson(text);
  }
}

export function requireOk(status: number, path: string): void {
  if (status === 401) throw new IoFault("status", "the credentials were refused (HTTP 401)");
  if (status === 403) throw new IoFault("status", `these credentials may not read ${withoutQuery(path)} (HTTP 403)`);
  if (status < 200 || status > 299) throw new IoFault("status", `HTTP ${status} for ${withoutQuery(path)}`);
}

const withoutQuery = (path: string) => path.split("?")[0] ?? path;

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new IoFault("protocol", "the answer is not JSON");
  }
}

async function readText(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (!body) return "";
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.length;
      if (length > BODY_MAX) throw new IoFault("protocol", "the answer is too long");
      chunks.push(value);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
  return Buffer.concat(chunks).toString("utf8");
}

export function objectOf(value: unknown): JsonObject {
  return isRecord(value) ? value : {};
}
export function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
export function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** What was named but is not there at all. */
export function missingOf(wanted: readonly string[], found: readonly string[]): string[] {
  return wanted.filter((name) => !found.includes(name)).map((name) => `${name} does not exist`);
}
