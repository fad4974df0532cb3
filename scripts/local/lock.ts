import { chmodSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { StateDir } from "./settings.ts";

/**
 * One process at a time may work on a state directory. The lock is SQLite's own on an empty database: the system releases
 * it however its holder dies, so no stale lock is ever left behind.
 * Gives undefined when another process still holds it after `waitMs`.
 */
export function lockState({ lock }: StateDir, waitMs: number): Disposable | undefined {
  const database = new DatabaseSync(lock, { timeout: waitMs });
  chmodSync(lock, 0o600);
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (error instanceof Error && error.message.includes("locked")) return undefined;
    throw error;
  }
  return { [Symbol.dispose]: () => database.close() };
}
