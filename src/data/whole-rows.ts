import { type Column, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

/** https://developers.cloudflare.com/d1/platform/limits/ */
const ARGUMENTS_MAX = 32;
const TEXT_KEPT_MAX = 2_000;
const ROWS_KEPT_MAX = 4_000;

interface RowTexts {
  id: string;
  head: string;
  tail: string;
}

interface WholeRows<Row> {
  /** What a query selects to read the rows by `read`. */
  selected: { id: SQL<string>; head: SQL<string>; tail: SQL<string> };
  read(texts: RowTexts): Row;
}

/**
 * Reads all columns of a table as two JSON texts a row. D1 and the Worker process each cell by itself, which takes far
 * longer than to read the rows where a query returns thousands of cells.
 *
 * A row whose texts are those of the last time is the same frozen object, so that what follows from it can be kept in a
 * WeakMap. Long rows are not kept, which bounds the memory.
 */
export function wholeRowsOf<Table extends SQLiteTable>(
  table: Table & { id: Column },
): WholeRows<Readonly<Table["$inferSelect"]>> {
  const columns = Object.entries(getTableColumns(table));
  if (columns.length > 2 * ARGUMENTS_MAX) throw new Error("the table has more columns than two texts hold");
  // One text, because the query would be put together from its columns again for each run.
  const arrayOf = (some: typeof columns) =>
    sql.raw(`json_array(${some.map(([, { name }]) => `"${name}"`).join(", ")})`) as SQL<string>;
  const kept = new Map<string, { head: string; tail: string; row: Readonly<Table["$inferSelect"]> }>();

  const parse = ({ head, tail }: RowTexts) => {
    const values: unknown[] = [...JSON.parse(head), ...JSON.parse(tail)];
    const entries = columns.map(([name, column], n) => {
      const value = values[n];
      return [name, value === null || value === undefined ? null : column.mapFromDriverValue(value)];
    });
    return Object.freeze(Object.fromEntries(entries)) as Readonly<Table["$inferSelect"]>;
  };

  return {
    selected: {
      id: sql<string>`${table.id}`,
      head: arrayOf(columns.slice(0, ARGUMENTS_MAX)),
      tail: arrayOf(columns.slice(ARGUMENTS_MAX)),
    },
    read(texts) {
      const { id, head, tail } = texts;
      const known = kept.get(id);
      if (known?.head === head && known.tail === tail) return known.row;
      const row = parse(texts);
      kept.delete(id);
      if (head.length + tail.length > TEXT_KEPT_MAX) return row;
      const oldest = kept.size >= ROWS_KEPT_MAX ? kept.keys().next().value : undefined;
      if (oldest !== undefined) kept.delete(oldest);
      kept.set(id, { head, tail, row });
      return row;
    },
  };
}
