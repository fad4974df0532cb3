import { type SQL, sql } from "drizzle-orm";

/** These ids as a list in a query. */
export function among(ids: readonly string[]): SQL {
  return sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
}
