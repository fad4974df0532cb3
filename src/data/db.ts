import type { SQL } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";

export type Db = DrizzleD1Database;
/** A write that takes part in a batch, D1's only transaction. */
export type Statement = BatchItem<"sqlite">;
/** An expression that a guard evaluates inside a batch. */
export type Condition = SQL;

const opened = new WeakMap<D1Database, Db>();

/** It knows nothing of who asks, so that all requests share one. */
export function openDb(database: D1Database): Db {
  const known = opened.get(database);
  if (known) return known;
  const db = drizzle(database);
  opened.set(database, db);
  return db;
}

/** Runs all statements as one transaction. */
export async function runBatch(db: Db, statements: readonly Statement[]): Promise<unknown[]> {
  const [first, ...rest] = statements;
  return first ? db.batch([first, ...rest]) : [];
}
