import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Refusal } from "./command-error.ts";
import { controlOf, isNotRunning } from "./control.ts";
import type { Execute, Statement } from "./database.ts";
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
  const { readWorkerConfig } = await import("./config.ts");
  const { openDatabase } = await import("./database.ts");
  const { applyMigrations } = await import("./migrations.ts");
  const { guardRuntimes } = await import("./guard.ts");
  const config = readWorkerConfig();
  guardRuntimes();
  await using database = await openDatabase(stateDir, config);
  await applyMigrations(database.execute, config.database.migrationsDir);
  return await work(database.execute);
}

/** Works on the deployed database, with the account that wrangler is signed in to. */
export async function withRemoteDatabase<Result>(work: Work<Result>): Promise<Result> {
  const { readWorkerConfig } = await import("./config.ts");
  const { PROJECT_ROOT, WRANGLER } = await import("./paths.ts");
  const { name } = readWorkerConfig().database;
  return work(async (statements) => {
    const command = statements.map(inline).join(";\n");
    const args = [WRANGLER, "d1", "execute", name, "--remote", "--json", "--yes", "--command", command];
    try {
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: PROJECT_ROOT });
      return JSON.parse(stdout).map(({ results }: { results: Record<string, unknown>[] }) => results);
    } catch (error) {
      const output =
        error instanceof Error && "stdout" in error ? `${error.stdout}${"stderr" in error && error.stderr}` : "";
      throw new Refusal(`wrangler d1 execute ${name} --remote failed: ${output.trim() || error}`);
    }
  });
}

/** Wrangler takes no parameters beside the text, so they become literals in it. */
function inline({ sql, params }: Statement): string {
  let next = 0;
  return sql.replaceAll("?", () => literal(params[next++] ?? null));
}

function literal(value: string | number | null): string {
  if (value === null) return "NULL";
  return typeof value === "number" ? String(value) : `'${value.replaceAll("'", "''")}'`;
}
