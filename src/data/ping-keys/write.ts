import { eq } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { pingKeys } from "./table.ts";

/** In place of the one that the page has. */
export function savePingKey(db: Db, key: typeof pingKeys.$inferInsert): Statement {
  const { key_hash, created_by, created_at } = key;
  return db
    .insert(pingKeys)
    .values(key)
    .onConflictDoUpdate({ target: pingKeys.status_page_id, set: { key_hash, created_by, created_at } });
}

export function deletePingKey(db: Db, pageId: string): Statement {
  return db.delete(pingKeys).where(eq(pingKeys.status_page_id, pageId));
}
