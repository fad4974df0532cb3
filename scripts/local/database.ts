import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import type { WorkerConfig } from "./config.ts";
import { callControl, controlWorker } from "./runtime-control.ts";
import type { StateDir } from "./settings.ts";

export interface Statement {
  sql: string;
  params: (string | number | null)[];
}
export type Row = Record<string, unknown>;

/** Runs the statements as one transaction and gives the rows of each. */
export type Execute = (statements: Statement[]) => Promise<Row[][]>;

/** The database of a runtime that has a control worker. */
export function databaseOf(runtime: Miniflare): Execute {
  return async (statements) => (await callControl(runtime, "/execute", statements)) as Row[][];
}

/**
 * Opens the database without the Worker, whose alarms and queues would start to run. Only for the holder of the lock: a
 * second process that writes while the service runs makes the service fail with "database is locked".
 */
export async function openDatabase(stateDir: StateDir, config: WorkerConfig) {
  const shared = { resourcePersistencePath: stateDir.data, telemetry: { enabled: false }, cf: false } as const;
  const runtime = new Miniflare(convertV4MiniflareOptions({ ...shared, workers: [controlWorker(config)] }));
  return { execute: databaseOf(runtime), [Symbol.asyncDispose]: () => runtime.dispose() };
}
