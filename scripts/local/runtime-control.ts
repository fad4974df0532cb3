import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Miniflare, V4WorkerOptions } from "miniflare";
import type { WorkerConfig } from "./config.ts";

/** Requests that name this host reach the control worker; the secret keeps those of strangers out. */
const HOST = "control.invalid";
const SECRET = randomBytes(32).toString("base64url");

/**
 * The worker through which scripts reach what belongs to the runtime. Miniflare's own handles on databases and workers
 * wait for the runtime with the whole process asleep, and the runtime waits for that process to read its log: neither
 * would ever go on.
 */
export function controlWorker({ options, database }: WorkerConfig, service?: string): V4WorkerOptions {
  return {
    name: "control",
    modules: [{ type: "ESModule", path: join(import.meta.dirname, "control-worker.js") }],
    modulesRoot: import.meta.dirname,
    compatibilityFlags: ["service_binding_extra_handlers"],
    routes: [`${HOST}/*`],
    bindings: { SECRET },
    d1Databases: { DB: databaseId(options.d1Databases, database.binding) },
    ...(service && { serviceBindings: { SERVICE: service } }),
  };
}

function databaseId(databases: WorkerConfig["options"]["d1Databases"], binding: string) {
  const database = databases && !Array.isArray(databases) ? databases[binding] : undefined;
  if (database === undefined) throw new Error(`wrangler.toml has no database ${binding}`);
  return database;
}

/** What the control worker answers; its refusals become errors. */
export async function callControl(runtime: Miniflare, action: "/execute" | "/cron", body: unknown): Promise<unknown> {
  const response = await runtime.dispatchFetch(`http://${HOST}${action}`, {
    method: "POST",
    headers: { authorization: SECRET },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(String(answer));
  return answer;
}
