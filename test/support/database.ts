import { env } from "cloudflare:workers";

/** Columns that a mere visit may change. */
const VOLATILE = ["last_used_at"];

export type Snapshot = Record<string, Record<string, unknown>[]>;

async function listTables(): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%' AND name <> 'd1_migrations' ORDER BY name",
  ).all<{ name: string }>();
  return results.map(({ name }) => name);
}

/** The schema is the same in all files. */
let tables: string[] | undefined;

/** D1 answers no more columns than this. */
const COLUMNS_MAX = 100;

/** Those of these tables that hold a row, asked by one statement: one for each of a hundred tables takes most of a test. */
async function filledOf(names: readonly string[]): Promise<string[]> {
  const parts = Array.from({ length: Math.ceil(names.length / COLUMNS_MAX) }, (_, n) =>
    names.slice(n * COLUMNS_MAX, (n + 1) * COLUMNS_MAX),
  );
  const isFilled = (name: string) => `EXISTS (SELECT 1 FROM "${name}") AS "${name}"`;
  const answers = await env.DB.batch<Record<string, number>>(
    parts.map((part) => env.DB.prepare(`SELECT ${part.map(isFilled).join(", ")}`)),
  );
  const filled = new Set(
    answers
      .flatMap(({ results }) => results.flatMap(Object.entries))
      .filter(([, n]) => n === 1)
      .map(([name]) => name),
  );
  return names.filter((name) => filled.has(name));
}

/** For sweeps that read tables many times. */
export async function emptyTables(): Promise<void> {
  tables ??= await listTables();
  const filled = await filledOf(tables);
  if (filled.length > 0) await env.DB.batch(filled.map((name) => env.DB.prepare(`DELETE FROM "${name}"`)));
}

/** Every row of every table, for tests that say what must not have happened. */
export async function readTables(except: readonly string[] = []): Promise<Snapshot> {
  tables ??= await listTables();
  const names = tables.filter((name) => !except.includes(name));
  const filled = await filledOf(names);
  if (filled.length === 0) return Object.fromEntries(names.map((name) => [name, []]));
  const answers = await env.DB.batch<Record<string, unknown>>(
    filled.map((name) => env.DB.prepare(`SELECT * FROM "${name}"`)),
  );
  const rows = new Map(filled.map((name, n) => [name, (answers[n]?.results ?? []).map(withoutVolatile)]));
  return Object.fromEntries(names.map((name) => [name, rows.get(name) ?? []]));
}

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** The rows that name one of these accounts, the rows that name those, and so on. */
export async function readRowsOf(accounts: readonly { user_id: string }[], except: readonly string[] = []) {
  return rowsNaming(accounts, await readTables(except));
}

export function rowsNaming(accounts: readonly { user_id: string }[], snapshot: Snapshot): Snapshot {
  const tables = Object.entries(snapshot);
  const naming = new Map<string, Record<string, unknown>[]>();
  for (const row of tables.flatMap(([, rows]) => rows)) {
    for (const id of new Set(JSON.stringify(row).match(ID))) {
      const rows = naming.get(id);
      if (rows) rows.push(row);
      else naming.set(id, [row]);
    }
  }
  const found = new Set<Record<string, unknown>>();
  const ids = accounts.map(({ user_id }) => user_id);
  for (const id of ids) {
    for (const row of naming.get(id) ?? []) {
      if (!found.has(row) && typeof row.id === "string") ids.push(row.id);
      found.add(row);
    }
  }
  return Object.fromEntries(tables.map(([name, rows]) => [name, rows.filter((row) => found.has(row))]));
}

/** How many such rows each table holds. */
export async function countRowsOf(accounts: readonly { user_id: string }[], except: readonly string[] = []) {
  const tables = Object.entries(await readRowsOf(accounts, except));
  return Object.fromEntries(tables.map(([name, rows]) => [name, rows.length]));
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
