import { setTimeout as sleep } from "node:timers/promises";

/** What the demonstration is filled through: the public API of the service that it runs in. */
export interface Answer {
  id: string;
  [member: string]: unknown;
}

export type Call = (method: string, path: string, body?: unknown) => Promise<Answer>;

const API = "/api/uptime/v1";
const ATTEMPTS = 5;
const PAUSE_MS = 400;

/** Calls as the holder of a token. Paths begin below `/api/uptime/v1`, unless with `/api`. */
export function callerOf(url: string, token: string): Call {
  return async (method, path, body) => {
    const address = url + (path.startsWith("/api/") ? path : API + path);
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(address, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await response.text();
      if (response.ok) return text === "" ? { id: "" } : (JSON.parse(text) as Answer);
      if (response.status !== 503 || attempt === ATTEMPTS) {
        throw new Error(`${method} ${path}: ${response.status} ${text}`);
      }
      await sleep(PAUSE_MS * attempt);
    }
  };
}

/** An answer that is a list. */
export async function listOf(call: Call, path: string): Promise<Answer[]> {
  return (await call("GET", path)) as unknown as Answer[];
}
