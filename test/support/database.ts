import { env } from "cloudflare:workers";

/** Columns that a mere visit may change. */
const VOLATILE = ["last_used_at"];

export type Snapshot = Record<string, Record<string, unknown>[]>;

/** Every row of every table, for tests that say what must not have happened. */
export async function readTables(except: readonly string[] = []): Promise<Snapshot> {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%' AND name <> 'd1_migrations' ORDER BY name",
  ).all<{ name: string }>();
  const names = results.map(({ name }) => name).filter((name) => !except.includes(name));
  const tables = await env.DB.batch<Record<string, unknown>>(
    names.map((name) => env.DB.prepare(`SELECT * FROM "${name}"`)),
  );
  return Object.fromEntries(names.map((name, n) => [name, (tables[n]?.results ?? []).map(withoutVolatile)]));
}

/** How many rows each table holds. */
export async function countRows(except: readonly string[] = []): Promise<Record<string, number>> {
  return Object.fromEntries(Object.entries(await readTables(except)).map(([name, rows]) => [name, rows.length]));
}

/** The names of all columns of all tables. */
export async function readColumns(): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT DISTINCT c.name FROM sqlite_master AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table' AND t.name NOT LIKE '_cf_%'",
  ).all<{ name: string }>();
  return results.map(({ name }) => name);
}

function withoutVolatile(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([column]) => !VOLATILE.includes(column)));
}
