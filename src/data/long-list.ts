import { SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Db } from "./db.ts";

type Columns = Record<string, SQLiteColumn | SQL>;
type Cell<Column extends SQLiteColumn | SQL> =
  Column extends SQL<infer Value>
    ? Value
    : Column extends SQLiteColumn
      ? Column["_"]["notNull"] extends true
        ? Column["_"]["data"]
        : Column["_"]["data"] | null
      : never;
export type RowOf<Chosen extends Columns> = { [Name in keyof Chosen]: Cell<Chosen[Name]> };

/** A select of exactly these columns, in their order. */
interface Select {
  toSQL(): { sql: string; params: unknown[] };
}

/**
 * The rows of a query that gives hundreds of them, as the query builder would give them. It finds out again for each cell how
 * to read it, which takes longer than reading it.
 */
export async function readRows<Chosen extends Columns>(
  db: Db,
  columns: Chosen,
  select: Select,
): Promise<RowOf<Chosen>[]> {
  const { sql, params } = select.toSQL();
  const statement = db.$client.prepare(sql).bind(...params);
  const columnsInOrder = Object.entries(columns);
  return (await statement.raw()).map((cells) => {
    const row: Record<string, unknown> = {};
    for (const [n, [name, column]] of columnsInOrder.entries()) {
      const cell = cells[n];
      row[name] = cell === null || column instanceof SQL ? cell : column.mapFromDriverValue(cell);
    }
    // What a column holds is what its table says.
    return row as RowOf<Chosen>;
  });
}
