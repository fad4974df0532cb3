import { isRecord } from "../lib/is-record.ts";
import { CommandFailure } from "./failure.ts";

const PAGE_SIZE = 100;
const TIMEOUT_MS = 60_000;
const ATTEMPTS = 5;

export type Item = Record<string, unknown> & { id: string };

interface CallOptions {
  /** Accounts and tokens are under `core`. */
  version?: "uptime" | "core";
  /** Under which the service carries out a repeated request once. */
  idempotency_key?: string;
}

/** The public API with one token, or as whom a browser is signed in. */
export interface Api {
  url: string;
  /** The body of the answer; fails with the service's own words. */
  call(method: string, path: string, body?: object, options?: CallOptions): Promise<unknown>;
  list(path: string): Promise<Item[]>;
  /** The OpenAPI document of the service. */
  describe(): Promise<unknown>;
}

interface Connection {
  url: string;
  token?: string;
  /** What a call made: the collection and the new id. */
  made?(path: string, id: string): void;
}

export function createApi({ url, token, made }: Connection): Api {
  const call: Api["call"] = async (method, path, body, { version = "uptime", idempotency_key } = {}) => {
    const { status, text } = await send(`${url}/api/${version}/v1${path}`, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        "content-type": "application/json",
        ...(idempotency_key && { "idempotency-key": idempotency_key }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer: unknown = text === "" ? undefined : JSON.parse(text);
    if (status === 201 && isRecord(answer) && typeof answer.id === "string")
      made?.(path.replace(/\/by-key\/.*/, ""), answer.id);
    return answer;
  };
  return {
    url,
    call,
    async describe() {
      return JSON.parse((await send(`${url}/openapi.json`, { method: "GET" })).text);
    },
    async list(path) {
      const items: Item[] = [];
      for (let offset = 0; ; offset += PAGE_SIZE) {
        const separator = path.includes("?") ? "&" : "?";
        const page = (await call("GET", `${path}${separator}limit=${PAGE_SIZE}&offset=${offset}`)) as Item[];
        items.push(...page);
        if (page.length < PAGE_SIZE) return items;
      }
    },
  };
}

/** Waits as long as Retry-After requires. */
async function send(url: string, init: RequestInit): Promise<{ status: number; text: string }> {
  const request = `${init.method} ${new URL(url).pathname}`;
  for (let attempt = 1; ; attempt++) {
    const response = await connect(url, init);
    const text = await response.text();
    if (response.ok) return { status: response.status, text };
    if (response.status !== 429 || attempt === ATTEMPTS) {
      throw new CommandFailure(`${request}: ${response.status} ${errorIn(text)}`);
    }
    const seconds = Number(response.headers.get("retry-after") ?? attempt);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

async function connect(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : error;
    throw new CommandFailure(`${new URL(url).origin} cannot be reached: ${cause}`);
  }
}

function errorIn(text: string): string {
  try {
    return (JSON.parse(text) as { error: string }).error;
  } catch {
    return text.slice(0, 200);
  }
}
