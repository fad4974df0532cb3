import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Pagination } from "../contract/pagination.ts";

/**
 * Lists that go on by a cursor, however long they are: the condition for what comes after it. The order is by both
 * columns, the first of which has an index.
 */
export function isBelow(page: Pagination, first: SQLiteColumn, id: SQLiteColumn | SQL): SQL | undefined {
  return page.cursor && sql`(${first}, ${id}) < (${page.cursor[0]}, ${page.cursor[1]})`;
}

/** The same for lists in ascending order. */
export function isAbove(page: Pagination, first: SQLiteColumn, id: SQLiteColumn): SQL | undefined {
  return page.cursor && sql`(${first}, ${id}) > (${page.cursor[0]}, ${page.cursor[1]})`;
}

export function skippedOf(page: Pagination): number {
  return page.cursor ? 0 : page.offset;
}
