import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

/** Sorts rows of one instant as they were written; their ids may be derived and say nothing of it. Indexes end with it. */
export function writtenOrder(table: SQLiteTable): SQL<number> {
  return sql<number>`${table}.rowid`;
}

/** The place in that order of the row with this id. */
export function writtenPlace(table: SQLiteTable, id: string): SQL<number> {
  return sql<number>`(SELECT t.rowid FROM ${table} t WHERE t.id = ${id})`;
}
