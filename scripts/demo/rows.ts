import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { drizzle } from "drizzle-orm/sqlite-proxy";
import type { Execute, Statement } from "../local/database.ts";

/** Rows for the tables of the service, checked by the types of its tables. */
const STATEMENTS_AT_ONCE = 200;

const rows = drizzle(async () => ({ rows: [] }));

export function insert<Table extends SQLiteTable>(table: Table, row: Table["$inferInsert"]): Statement {
  const { sql, params } = rows.insert(table).values(row).toSQL();
  // Drivers of SQLite take nothing else, and the columns of these tables map to it.
  return { sql, params: params as Statement["params"] };
}

export async function runAll(execute: Execute, statements: readonly Statement[]): Promise<void> {
  for (let from = 0; from < statements.length; from += STATEMENTS_AT_ONCE) {
    await execute(statements.slice(from, from + STATEMENTS_AT_ONCE));
  }
}
