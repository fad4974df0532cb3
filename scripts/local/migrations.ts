import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "./command-error.ts";
import type { Execute } from "./database.ts";

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
    const statements = statementsOf(join(dir, file)).map((sql) => ({ sql, params: [] }));
    try {
      await execute([...statements, { sql: "INSERT INTO d1_migrations (name) VALUES (?)", params: [file] }]);
    } catch (error) {
      throw new Refusal(`migration ${file} failed, nothing of it was applied: ${messageOf(error)}`);
    }
  }
}

/** As drizzle-kit parts them. */
export function statementsOf(file: string): string[] {
  return readFileSync(file, "utf8").split("--> statement-breakpoint");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
