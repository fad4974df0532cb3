import { eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

/** Conditions of filtered lists; each is undefined, which `and` leaves out, where the filter was not given. */

/** The column holds one of these values. */
export function isOneOf(column: SQLiteColumn, values: readonly (string | number)[] | undefined): SQL | undefined {
  return values && sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;
}

/** The column, a JSON array of texts, holds one of these texts. */
export function holdsOneOf(column: SQLiteColumn, values: readonly string[] | undefined): SQL | undefined {
  return (
    values &&
    sql`EXISTS (SELECT 1 FROM json_each(${column}) t WHERE t.value IN (SELECT value FROM json_each(${JSON.stringify(values)})))`
  );
}

/** One of the columns contains this text, regardless of case. */
export function containsText(columns: readonly SQLiteColumn[], text: string | undefined): SQL | undefined {
  if (text === undefined) return undefined;
  const found = columns.map((column) => sql`instr(lower(${column}), lower(${text})) > 0`);
  return sql`(${sql.join(found, sql` OR `)})`;
}

/** The column names one of these pages. Of one page alone an index gives the rows in their order. */
export function onPages(column: SQLiteColumn, pageIds: readonly string[]): SQL | undefined {
  const [first] = pageIds;
  return first !== undefined && pageIds.length === 1 ? eq(column, first) : isOneOf(column, pageIds);
}
