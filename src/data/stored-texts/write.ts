import { eq, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { storedTexts } from "./table.ts";

export function addStoredText(db: Db, ownerId: string, bytes: number): Statement {
  return db
    .insert(storedTexts)
    .values({ owner_id: ownerId, bytes })
    .onConflictDoUpdate({ target: storedTexts.owner_id, set: { bytes: sql`${storedTexts.bytes} + ${bytes}` } });
}

/** Takes off what a measurement found too much; what was added meanwhile stays. */
export function correctStoredText(
  db: Db,
  ownerId: string,
  { excess, now }: { excess: number; now: number },
): Statement {
  return db
    .update(storedTexts)
    .set({ bytes: sql`${storedTexts.bytes} - ${excess}`, measured_at: now })
    .where(eq(storedTexts.owner_id, ownerId));
}
