import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db, Statement } from "./db.ts";

/** Inserts the record only if the condition holds at the moment of the write. */
export function insertIf<Table extends SQLiteTable>(
  db: Db,
  table: Table,
  record: Table["$inferSelect"],
  condition: SQL,
): Statement {
  const values = Object.entries(getTableColumns(table)).map(
    ([name, column]) => sql`${sql.param(record[name], column)}`,
  );
  return db.insert(table).select(sql`SELECT ${sql.join(values, sql`, `)} WHERE ${condition}`);
}
