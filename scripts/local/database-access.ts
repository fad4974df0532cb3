import { setTimeout as sleep } from "node:timers/promises";
import { Refusal } from "./command-error.ts";
import { controlOf, isNotRunning } from "./control.ts";
import type { Execute } from "./database.ts";
import { lockState } from "./lock.ts";
import { createStateDir, type StateDir, stateDirOf } from "./settings.ts";

/** A service that is starting holds its lock this long, at most, before it opens its control socket. */
const PATIENCE_MS = 20_000;

type Work<Result> = (execute: Execute) => Promise<Result>;

/** Works on the database of STATE_DIR: through the running service, or alone while none runs. */
export async function withLocalDatabase<Result>(work: Work<Result>): Promise<Result> {
  const stateDir = stateDirOf(process.env);
  createStateDir(stateDir);
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    try {
      return await work(controlOf(stateDir));
    } catch (error) {
      if (!isNotRunning(error)) throw error;
    }
    using lock = lockState(stateDir, 0);
    if (lock) return await alone(stateDir, work);
    await sleep(200);
  }
  throw new Refusal(`another command holds ${stateDir.path}: try again when it has ended`);
}

/** Loaded only when needed: a running service answers in a fraction of the time that wrangler takes to load. */
async function alone<Result>(stateDir: StateDir, work: Work<Result>): Promise<Result> {
  const { readConfig } = await import("./known-config.ts");
  const { openDatabase } = await import("./open-database.ts");
  const { applyMigrations } = await import("./migrations.ts");
  const { guardRuntimes } = await import("./guard.ts");
  const config = await readConfig();
  guardRuntimes();
  await using database = await openDatabase(stateDir, config);
  await applyMigrations(database.execute, config.database.migrationsDir);
  return await work(database.execute);
}

/** Works on the database of a deployment, with the account that wrangler is signed in to. */
export function withRemoteDatabase(deployment: string) {
  return async <Result>(work: Work<Result>): Promise<Result> => {
    const { createCloudflare } = await import("../deploy/cloudflare.ts");
    const { DEPLOYMENTS_DIR, deploymentFiles } = await import("../deploy/record.ts");
    const { remoteDatabase } = await import("../deploy/remote-database.ts");
    const { account_id, database_id } = deploymentFiles(DEPLOYMENTS_DIR, deployment).readRecord();
    if (!account_id || !database_id) throw new Refusal(`no deployment ${deployment} is known here: npm run deploy`);
    return work(remoteDatabase(createCloudflare(process.env), { account_id, database_id }));
  };
}
