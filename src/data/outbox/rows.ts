import { and, eq, lt, lte, type SQL, sql } from "drizzle-orm";
import { integer, type SQLiteColumn, type SQLiteTable, type SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import { instant } from "../columns.ts";
import type { Db, Statement } from "../db.ts";

/**
 * Rows that leave by message, regardless of their content. The row is the truth: a message only wakes the consumer,
 * which claims the row under a lease, sends it and settles it. The sweep wakes what no message did.
 */

/** A message under way gets this long before the sweep sends another one. */
export const WAKE_GRACE_MS = 30_000;
/** The longest pause between two messages for the same row. */
const WAKE_PAUSE_MAX_MS = 15 * 60_000;

/** `wake_at` is when the sweep sends a message for the row; its table has a partial index on it for waiting rows. */
export const wakeAt = () => instant("wake_at").notNull().default(0);
export const leaseColumns = () => ({
  attempt: integer("attempt").notNull().default(0),
  lease_until: instant("lease_until").notNull().default(0),
  wake_at: wakeAt(),
});

type WithColumns<Name extends string> = SQLiteTable & Record<Name, SQLiteColumn>;
type OutboxTable = WithColumns<
  "id" | "state" | "attempt" | "next_attempt_at" | "lease_until" | "wake_at" | "updated_at"
>;

/** Spelled out, not bound: SQLite uses a partial index only for the very same condition. */
export const isPending = (table: WithColumns<"state">) => sql`${table.state} = 'pending'`;

export const isDue = (table: OutboxTable, now: number) =>
  and(isPending(table), lte(table.next_attempt_at, now), lt(table.lease_until, now));

interface Lease {
  now: number;
  lease_until: number;
}

/** Claims a due row for one attempt; the statement returns no row where it is not due, done, gone or claimed. */
export function claim<Table extends OutboxTable>(db: Db, table: Table, id: string, lease: Lease) {
  return claimWhere(db, table, eq(table.id, id), lease);
}

/** Claims those of these rows that are due, by one statement regardless of their number. */
export function claimAll<Table extends OutboxTable>(db: Db, table: Table, ids: readonly string[], lease: Lease) {
  return claimWhere(db, table, isAmong(table.id, ids), lease);
}

function claimWhere<Table extends OutboxTable>(db: Db, table: Table, isMeant: SQL, { now, lease_until }: Lease) {
  return db
    .update(table)
    .set(setOf(table, { lease_until, attempt: sql`${table.attempt} + 1`, updated_at: now }))
    .where(and(isMeant, isDue(table, now)))
    .returning();
}

/** One parameter for any number of values: D1 binds a hundred at most. */
export const isAmong = (column: SQLiteColumn, values: readonly string[]) =>
  sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;

/** Ends one attempt. Only the attempt that holds the claim changes the row, so a repeat is harmless. */
export function settle<Table extends OutboxTable>(
  db: Db,
  table: Table,
  claimed: { id: string; attempt: number },
  change: { state?: string; next_attempt_at?: number | null; updated_at: number; [column: string]: unknown },
): Statement {
  const wake_at = change.next_attempt_at == null ? {} : { wake_at: change.next_attempt_at + WAKE_GRACE_MS };
  return db
    .update(table)
    .set(setOf(table, { ...change, ...wake_at, lease_until: 0 }))
    .where(and(eq(table.id, claimed.id), eq(table.attempt, claimed.attempt), isPending(table)));
}

interface RowsToWake {
  /** The column that says when the sweep sends a message for a row. */
  wakeAt: SQLiteColumn;
  isWaiting: SQL;
  dueAt: SQLiteColumn;
  now: number;
  limit: number;
}

/**
 * A page of rows that wait for a message, and postpones the next message for each: by as long as the row is overdue, so
 * that a stalled consumer gets fewer and fewer. Costs one statement regardless of the backlog.
 */
export async function listToWake(
  db: Db,
  table: WithColumns<"id">,
  { wakeAt, isWaiting, dueAt, now, limit }: RowsToWake,
): Promise<string[]> {
  const page = sql`SELECT ${table.id} FROM ${table} WHERE ${isWaiting} AND ${wakeAt} <= ${now} ORDER BY ${wakeAt} LIMIT ${limit}`;
  const pause = sql`min(${WAKE_PAUSE_MAX_MS}, max(${2 * WAKE_GRACE_MS}, ${now} - ${dueAt}))`;
  const rows = await db
    .update(table)
    .set(setOf(table, { [wakeAt.name]: sql`${now} + ${pause}` }))
    .where(sql`${table.id} IN (${page})`)
    .returning({ id: table.id });
  return rows.map((row) => String(row.id));
}

/** The tables of this file have these columns, which the compiler does not derive from a type parameter. */
function setOf<Table extends SQLiteTable>(_table: Table, values: Record<string, unknown>) {
  return values as SQLiteUpdateSetSource<Table>;
}
