import { type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Place } from "../contract/page-object.ts";
import { type Commit, shareCommits } from "./shared-writes.ts";

export type Db = DrizzleD1Database & { $client: D1Database };
/** A write that takes part in a batch, D1's only transaction. */
export type Statement = BatchItem<"sqlite">;
/** An expression that a guard evaluates inside a batch. */
export type Condition = SQL;

const opened = new WeakMap<D1Database, Db>();

/** It holds no state of a request, so that all requests share one. */
export function openDb(database: D1Database): Db {
  const known = opened.get(database);
  if (known) return known;
  const db = drizzle(database);
  opened.set(database, db);
  return db;
}

/** As many expired rows of a table are deleted at a time: D1 breaks off what runs for 30 seconds. */
export const DELETED_MAX = 5_000;

/** Deletes rows that nothing needs any more, a bounded number of them; the next sweep deletes the rest. */
export function deleteSome(db: Db, table: SQLiteTable, expired: SQL | undefined): Statement {
  return db.delete(table).where(sql`rowid IN (SELECT rowid FROM ${table} WHERE ${expired} LIMIT ${DELETED_MAX})`);
}

const shownOn = new WeakMap<Statement, readonly string[]>();
const listeners = new WeakMap<Db, (pageIds: string[]) => void>();

/** Marks a statement that changes what these status pages show. */
export function changesPages(statement: Statement, pageIds: readonly string[]): Statement {
  shownOn.set(statement, pageIds);
  return statement;
}

/** Names what is called after each commit of marked statements, and by `announceChanges`. */
export function onPagesChanged(db: Db, listener: (pageIds: string[]) => void): void {
  listeners.set(db, listener);
}

/** For statements that find out themselves what they change. */
export function announceChanges(db: Db, pageIds: Iterable<string>): void {
  const pages = [...pageIds];
  if (pages.length > 0) listeners.get(db)?.(pages);
}

const happeningAt = new WeakMap<Statement, readonly Place[]>();
const witnesses = new WeakMap<Db, (places: Place[]) => void>();

/** Marks a statement that stores that something happened there: an event, a change by a person, a notification. */
export function happensAt<Marked extends Statement>(statement: Marked, places: readonly Place[]): Marked {
  happeningAt.set(statement, places);
  return statement;
}

/** Names what is called after each commit of statements that store what happened. */
export function onHappened(db: Db, witness: (places: Place[]) => void): void {
  witnesses.set(db, witness);
}

const sharing = new WeakMap<Db, Commit>();

/** From now on `runBatch` commits what several ask for at the same moment as one transaction. */
export function shareWrites(db: Db, isUnclear: (error: unknown) => boolean): void {
  sharing.set(
    db,
    shareCommits((statements) => commitAlone(db, statements), isUnclear),
  );
}

/** Runs all statements as one transaction. */
export async function runBatch(db: Db, statements: readonly Statement[]): Promise<unknown[]> {
  if (statements.length === 0) return [];
  const commit = sharing.get(db);
  return commit ? commit(statements) : commitAlone(db, statements);
}

/** How many rows a batch wrote, indexes included. A write's result is D1's own; rows that were read have no such member. */
export function rowsWrittenBy(results: readonly unknown[]): number {
  return results
    .map((result) => (result as Partial<D1Result> | null)?.meta?.rows_written ?? 0)
    .reduce((sum, rows) => sum + rows, 0);
}

async function commitAlone(db: Db, statements: readonly Statement[]): Promise<unknown[]> {
  const [first, ...rest] = statements;
  if (!first) return [];
  const results = await db.batch([first, ...rest]);
  announceChanges(db, new Set(statements.flatMap((statement) => shownOn.get(statement) ?? [])));
  const places = statements.flatMap((statement) => happeningAt.get(statement) ?? []);
  if (places.length > 0) witnesses.get(db)?.(places);
  return results;
}
