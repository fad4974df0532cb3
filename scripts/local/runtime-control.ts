import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import type { V4WorkerOptions } from "miniflare";
import type { WorkerConfig } from "./config.ts";

export const CONTROL_WORKER = "control";

type ControlAction = "/execute" | "/cron" | "/health" | "/results";

/** Where a control worker is, and what distinguishes our requests from those of strangers, which it passes on. */
export interface Control {
  origin: string;
  secret: string;
}

export const newControlSecret = () => randomBytes(32).toString("base64url");

/** What it reaches: a worker by its name, a database by its id. */
interface Controlled {
  secret: string;
  service?: string;
  database?: ReturnType<typeof databaseId>;
  clientAddressHeader?: string | null;
  /** The worker whose histories it may add to. */
  history?: string | undefined;
}

/**
 * The worker through which scripts reach what belongs to the runtime. Before a service it gets all requests, and leaves
 * those for a connection (CONNECT) to the runtime, whose answer without that flag would be 500.
 */
export function controlWorker({
  secret,
  service,
  database,
  history,
  clientAddressHeader,
}: Controlled): V4WorkerOptions {
  return {
    name: CONTROL_WORKER,
    modules: [{ type: "ESModule", path: join(import.meta.dirname, "control-worker.js") }],
    modulesRoot: import.meta.dirname,
    compatibilityFlags: ["service_binding_extra_handlers", "connect_pass_through", "rpc"],
    bindings: { SECRET: secret, ...(clientAddressHeader && { CLIENT_ADDRESS_HEADER: clientAddressHeader }) },
    ...(database && { d1Databases: { DB: database } }),
    ...(service && { serviceBindings: { SERVICE: service } }),
    ...(history && { durableObjects: { PROBER: { className: "ProberObject", scriptName: history, useSQLite: true } } }),
  };
}

export function databaseId({ options: { d1Databases: databases }, database: { binding } }: WorkerConfig) {
  const database = databases && !Array.isArray(databases) ? databases[binding] : undefined;
  if (database === undefined) throw new Error(`wrangler.toml has no database ${binding}`);
  return database;
}

/**
 * What the control worker answers; its refusals become errors. By node:http, for the global fetch keeps ten
 * megabytes in a process that lives long.
 */
export async function callControl({ origin, secret }: Control, action: ControlAction, body: unknown): Promise<unknown> {
  const sent = request(origin + action, { method: "POST", headers: { authorization: secret } });
  sent.end(JSON.stringify(body));
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const answer = await json(response);
  if (response.statusCode !== 200) throw new Error(String(answer));
  return answer;
}
