import { and, eq, not, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { monitors } from "../monitors/table.ts";
import { subscribers } from "../subscribers/table.ts";
import type { SealedColumn } from "./columns.ts";
import type { SealedValue } from "./read.ts";

/** Only while the value is still the one that was read. */
export function replaceSealedValue(
  db: Db,
  { table, value, change }: SealedColumn,
  { rowid, sealed }: SealedValue,
  resealed: string,
): Statement {
  return db.update(table).set(change(resealed)).where(sql`rowid = ${rowid} AND ${value} = ${sealed}`);
}

/** Keeps the old hash where a request created the same subscription in the meantime. */
export function replaceEndpointHash(db: Db, subscriberId: string, endpointHash: string): Statement {
  const isTaken = sql`EXISTS (SELECT 1 FROM ${subscribers} AS other WHERE other.endpoint_hash = ${endpointHash}
    AND other.status_page_id = ${subscribers.status_page_id} AND other.channel = ${subscribers.channel})`;
  return db
    .update(subscribers)
    .set({ endpoint_hash: endpointHash })
    .where(and(eq(subscribers.id, subscriberId), not(isTaken)));
}

/** Signs push credentials anew whose root key is gone, so that what is shown of them is good; in the order of rows. */
export function renewLostCredentials(
  db: Db,
  { current, known, after, limit }: { current: number; known: readonly number[]; after: number; limit: number },
): Promise<{ rowid: number }[]> {
  const isLost = sql`${monitors.credential_key} NOT IN (SELECT value FROM json_each(${JSON.stringify(known)}))`;
  return db
    .update(monitors)
    .set({
      credential_key: current,
      credential_version: sql`${monitors.credential_version} + 1`,
      config_version: sql`${monitors.config_version} + 1`,
    })
    .where(
      sql`rowid IN (SELECT rowid FROM ${monitors} WHERE rowid > ${after} AND ${isLost} ORDER BY rowid LIMIT ${limit})`,
    )
    .returning({ rowid: sql<number>`rowid` });
}
