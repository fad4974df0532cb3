import { and, asc, count, eq, getTableColumns, max, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Pagination } from "../contract/pagination.ts";
import type { Db, Statement } from "./db.ts";
import { isAbove, skippedOf } from "./keyset.ts";
import { type Viewer, visibleTo } from "./members/read.ts";

/** A table of which each row is an object of a status page. */
export type PageTable = SQLiteTable & { id: SQLiteColumn; owner_id: SQLiteColumn; status_page_id: SQLiteColumn };
export type Row<Table extends SQLiteTable> = Table["$inferSelect"];
type Positioned = PageTable & { position: SQLiteColumn };

/** The rows of one page, or of all pages that a viewer can see. */
export type RowScope = { kind: "page"; id: string } | { kind: "viewer"; viewer: Viewer };

export async function findRow<T extends PageTable>(db: Db, table: T, id: string): Promise<Row<T> | undefined> {
  return (await selectRows(db, table, eq(table.id, id)).limit(1)).at(0);
}

export async function listRowsByIds<T extends PageTable>(db: Db, table: T, ids: readonly string[]): Promise<Row<T>[]> {
  const isNamed = sql`${table.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  return selectRows(db, table, isNamed).limit(ids.length);
}

/** Sorted by a column, which in an index follows that of the scope, and by id. */
export async function listRows<T extends PageTable>(
  db: Db,
  { table, sorted_by }: { table: T; sorted_by: keyof Row<T> & string },
  { scope, page }: { scope: RowScope; page: Pagination },
): Promise<{ rows: Row<T>[]; total: number }> {
  const sortedBy = getTableColumns(table as PageTable)[sorted_by];
  if (!sortedBy) throw new Error(`${sorted_by} is no column`);
  const within = scope.kind === "page" ? eq(table.status_page_id, scope.id) : visibleTo(scope.viewer, table);
  const [rows, totals] = await db.batch([
    selectRows(db, table, and(within, isAbove(page, sortedBy, table.id)))
      .orderBy(asc(sortedBy), asc(table.id))
      .limit(page.limit)
      .offset(skippedOf(page)),
    db
      .select({ total: count() })
      .from(table as PageTable)
      .where(within),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

export function insertRow<T extends PageTable>(db: Db, table: T, row: Row<T>): Statement {
  return db.insert(table as PageTable).values(row);
}

export function updateRow<T extends PageTable>(db: Db, table: T, id: string, change: Partial<Row<T>>): Statement {
  return db
    .update(table as PageTable)
    .set(change)
    .where(eq(table.id, id));
}

export function deleteRow(db: Db, table: PageTable, id: string): Statement {
  return db.delete(table).where(eq(table.id, id));
}

/** The highest position on a page, so that something new may stand below it; -1 when there is nothing. */
export async function findLastPosition(db: Db, table: Positioned, pageId: string): Promise<number> {
  const rows = await db
    .select({ last: max(table.position) })
    .from(table)
    .where(eq(table.status_page_id, pageId));
  return Number(rows[0]?.last ?? -1);
}

export function positionRows(
  db: Db,
  table: Positioned,
  order: readonly { id: string; order: number }[],
  now: number,
): Statement {
  const places = JSON.stringify(Object.fromEntries(order.map(({ id, order: place }) => [id, place])));
  return db
    .update(table)
    .set({ position: sql`${places} ->> ('$."' || ${table.id} || '"')`, updated_at: now })
    .where(sql`${table.id} IN (SELECT key FROM json_each(${places}))`);
}

// Drizzle gives the rows of any table by the table's type, which it does not work out for a type parameter.
const selectRows = <T extends PageTable>(db: Db, table: T, where: SQL | undefined) =>
  db
    .select()
    .from(table as PageTable)
    .where(where)
    .$dynamic();
