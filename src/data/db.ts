import type { BatchItem } from "drizzle-orm/batch";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";

export type Db = DrizzleD1Database;
/** A write that takes part in a batch, D1's only transaction. */
export type Statement = BatchItem<"sqlite">;

export function openDb(database: D1Database): Db {
  return drizzle(database);
}

/** Runs all statements as one transaction. */
export async function runBatch(db: Db, statements: readonly Statement[]): Promise<unknown[]> {
  const [first, ...rest] = statements;
  return first ? db.batch([first, ...rest]) : [];
}
