import { sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { monitors } from "../monitors/table.ts";
import { passwords } from "../sessions/table.ts";
import { statusPages } from "../status-pages/table.ts";
import { isOutdated, SEALED_COLUMNS, type SealedColumn } from "./columns.ts";

export interface SealedValue {
  /** Of the row; a round goes through them in their order. */
  rowid: number;
  bound_to: string;
  sealed: string;
}

/** Values of one column that another root key than the current one sealed, in the order of their rows. */
export function listOutdatedValues(
  db: Db,
  column: SealedColumn,
  { prefix, after, limit }: { prefix: string; after: number; limit: number },
): Promise<SealedValue[]> {
  return db.all<SealedValue>(
    sql`SELECT rowid AS rowid, ${column.bound_to} AS bound_to, ${column.value} AS sealed FROM ${column.table}
      WHERE rowid > ${after} AND ${isOutdated(column, prefix)} ORDER BY rowid LIMIT ${limit}`,
  );
}

export interface CurrentKey {
  id: number;
  seal_prefix: string;
  hash_prefix: string;
}

/** What would be lost with the earlier root keys. Reads whole tables: for installations that have some. */
export async function countOutdated(db: Db, { id, seal_prefix, hash_prefix }: CurrentKey) {
  const values = SEALED_COLUMNS.map((column) => db.$count(column.table, isOutdated(column, seal_prefix)));
  const length = hash_prefix.length;
  const isOld = (hash: typeof passwords.hash | typeof statusPages.password_hash) =>
    sql`substr(${hash}, 1, ${length}) <> ${hash_prefix}`;
  const [passwordCount, pageCount, credentialCount, ...valueCounts] = await Promise.all([
    db.$count(passwords, isOld(passwords.hash)),
    db.$count(statusPages, isOld(statusPages.password_hash)),
    db.$count(monitors, sql`${monitors.credential_key} <> ${id}`),
    ...values,
  ]);
  return {
    sealed_values: valueCounts.reduce((sum, count) => sum + count, 0),
    passwords: passwordCount,
    page_passwords: pageCount,
    push_credentials: credentialCount,
  };
}
