import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { unstable_splitSqlQuery as splitSql } from "wrangler";
import { Refusal } from "./command-error.ts";
import type { WorkerConfig } from "./config.ts";
import type { StateDir } from "./settings.ts";

export interface Statement {
  sql: string;
  params: (string | number | null)[];
}
export type Row = Record<string, unknown>;

/** Runs the statements as one transaction and gives the rows of each. */
export type Execute = (statements: Statement[]) => Promise<Row[][]>;

/** The database of a running Worker. A runtime that crashed and came back gives new handles, so each use asks anew. */
export function databaseOf(miniflare: Miniflare, config: WorkerConfig): Execute {
  return async (statements) => {
    const database = await miniflare.getD1Database(config.database.binding);
    const prepared = statements.map(({ sql, params }) => database.prepare(sql).bind(...params));
    const results = await database.batch<Row>(prepared);
    return results.map(({ results: rows }) => rows);
  };
}

/**
 * Opens the database without the Worker, whose alarms and queues would start to run. Only for the holder of the lock: a
 * second process that writes while the service runs makes the service fail with "database is locked".
 */
export async function openDatabase(stateDir: StateDir, config: WorkerConfig) {
  const { d1Databases } = config.options;
  const shared = { resourcePersistencePath: stateDir.data, telemetry: { enabled: false }, cf: false } as const;
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({ ...shared, modules: true, script: "export default {}", d1Databases }),
  );
  return { execute: databaseOf(miniflare, config), [Symbol.asyncDispose]: () => miniflare.dispose() };
}

/** The same table as wrangler's, so that `wrangler d1 migrations list` agrees about what was applied. */
const CREATE_MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

/** Applies what is missing, in order; each file is one transaction, so a file that fails leaves nothing behind. */
export async function applyMigrations(execute: Execute, dir: string): Promise<void> {
  const [, rows] = await execute([
    { sql: CREATE_MIGRATIONS_TABLE, params: [] },
    { sql: "SELECT name FROM d1_migrations", params: [] },
  ]);
  const applied = new Set(rows?.map(({ name }) => name));
  const files = readdirSync(dir).filter((file) => file.endsWith(".sql") && !applied.has(file));
  for (const file of files.sort()) {
    const statements = splitSql(readFileSync(join(dir, file), "utf8")).map((sql) => ({ sql, params: [] }));
    try {
      await execute([...statements, { sql: "INSERT INTO d1_migrations (name) VALUES (?)", params: [file] }]);
    } catch (error) {
      throw new Refusal(`migration ${file} failed, nothing of it was applied: ${messageOf(error)}`);
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
