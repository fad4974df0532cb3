import { and, eq, not } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { hasPasskey } from "../passkeys/read.ts";
import { isTwoFactorOn, type TwoFactorRecord } from "./read.ts";
import { recoveryCodes, twoFactors } from "./table.ts";

/** Replaces a secret that was not confirmed. */
export function upsertTwoFactor(db: Db, record: TwoFactorRecord): Statement {
  const { user_id, ...set } = record;
  return db.insert(twoFactors).values(record).onConflictDoUpdate({ target: twoFactors.user_id, set });
}

export function confirmTwoFactor(
  db: Db,
  { user_id, step, now }: { user_id: string; step: number; now: number },
): Statement {
  return db
    .update(twoFactors)
    .set({ confirmed_at: now, last_used_step: step, updated_at: now })
    .where(eq(twoFactors.user_id, user_id));
}

export function storeUsedStep(
  db: Db,
  { user_id, step, now }: { user_id: string; step: number; now: number },
): Statement {
  return db.update(twoFactors).set({ last_used_step: step, updated_at: now }).where(eq(twoFactors.user_id, user_id));
}

export function insertRecoveryCodes(db: Db, rows: readonly (typeof recoveryCodes.$inferInsert)[]): Statement {
  return db.insert(recoveryCodes).values([...rows]);
}

export function deleteRecoveryCode(db: Db, codeHash: string): Statement {
  return db.delete(recoveryCodes).where(eq(recoveryCodes.code_hash, codeHash));
}

export function deleteRecoveryCodesOf(db: Db, userId: string): Statement {
  return db.delete(recoveryCodes).where(eq(recoveryCodes.user_id, userId));
}

/** Recovery codes stand for a second factor, so they end with the last one. */
export function deleteIdleRecoveryCodes(db: Db, userId: string): Statement {
  const isIdle = and(not(hasPasskey(userId)), not(isTwoFactorOn(userId)));
  return db.delete(recoveryCodes).where(and(eq(recoveryCodes.user_id, userId), isIdle));
}

/** Without a passkey, the account signs in by its password alone from now on. */
export function deleteTwoFactor(db: Db, userId: string): Statement[] {
  return [db.delete(twoFactors).where(eq(twoFactors.user_id, userId)), deleteIdleRecoveryCodes(db, userId)];
}
