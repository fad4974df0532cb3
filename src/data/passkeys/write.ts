import { and, eq, lte } from "drizzle-orm";
import { type Db, deleteSome, type Statement } from "../db.ts";
import type { PasskeyRecord } from "./read.ts";
import { passkeys, usedChallenges } from "./table.ts";

export function insertPasskey(db: Db, record: PasskeyRecord): Statement {
  return db.insert(passkeys).values(record);
}

export function renamePasskey(db: Db, { id, name, now }: { id: string; name: string; now: number }): Statement {
  return db.update(passkeys).set({ name, updated_at: now }).where(eq(passkeys.id, id));
}

export function storePasskeyUse(db: Db, { id, counter, now }: { id: string; counter: number; now: number }): Statement {
  return db.update(passkeys).set({ counter, last_used_at: now }).where(eq(passkeys.id, id));
}

export function deletePasskey(db: Db, userId: string, id: string): Statement {
  return db.delete(passkeys).where(and(eq(passkeys.id, id), eq(passkeys.user_id, userId)));
}

export function insertUsedChallenge(db: Db, used: typeof usedChallenges.$inferInsert): Statement {
  return db.insert(usedChallenges).values(used);
}

export function deleteExpiredChallenges(db: Db, now: number): Statement {
  return deleteSome(db, usedChallenges, lte(usedChallenges.expires_at, now));
}
