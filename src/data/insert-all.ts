import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db, Statement } from "./db.ts";

/**
 * One statement for any number of records, whose number of parameters is bounded. Known ids are left alone, and records
 * for which the condition on `record.value` does not hold at the moment of the write.
 */
export function insertAll<Table extends SQLiteTable>(
  db: Db,
  table: Table,
  records: readonly Table["$inferSelect"][],
  condition: SQL = sql`true`,
): Statement {
  const members = Object.values(getTableColumns(table)).map((column) => sql`record.value ->> ${column.name}`);
  return db
    .insert(table)
    .select(
      sql`SELECT ${sql.join(members, sql`, `)} FROM json_each(${JSON.stringify(records)}) AS record WHERE ${condition}`,
    )
    .onConflictDoNothing();
}
