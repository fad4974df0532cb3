import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import type { WorkerConfig } from "./config.ts";
import { databaseOf } from "./database.ts";
import { controlWorker, databaseId, newControlSecret } from "./runtime-control.ts";
import type { StateDir } from "./settings.ts";

/**
 * Opens the database without the Worker, whose alarms and queues would start to run. Only for the holder of the lock: a
 * second process that writes while the service runs makes the service fail with "database is locked".
 */
export async function openDatabase(stateDir: StateDir, config: WorkerConfig) {
  const shared = { resourcePersistencePath: stateDir.data, telemetry: { enabled: false }, cf: false } as const;
  const secret = newControlSecret();
  const runtime = new Miniflare(
    convertV4MiniflareOptions({ ...shared, workers: [controlWorker({ secret, database: databaseId(config) })] }),
  );
  const { origin } = await runtime.ready;
  return { execute: databaseOf({ origin, secret }), [Symbol.asyncDispose]: () => runtime.dispose() };
}
