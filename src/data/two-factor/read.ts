import { and, eq, gte, isNull, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { passkeys } from "../passkeys/table.ts";
import { recoveryCodes, twoFactors } from "./table.ts";

export type TwoFactorRecord = typeof twoFactors.$inferSelect;

export async function findTwoFactor(db: Db, userId: string): Promise<TwoFactorRecord | undefined> {
  const rows = await db.select().from(twoFactors).where(eq(twoFactors.user_id, userId)).limit(1);
  return rows[0];
}

/** What sign-in accepts of an account beside its password. */
export interface SecondFactors {
  user_id: string;
  /** The confirmed authenticator app. */
  app: TwoFactorRecord | undefined;
  has_passkey: boolean;
}

export async function findSecondFactors(db: Db, userId: string): Promise<SecondFactors> {
  const [apps, keys] = await db.batch([
    db.select().from(twoFactors).where(eq(twoFactors.user_id, userId)).limit(1),
    db.select({ id: passkeys.id }).from(passkeys).where(eq(passkeys.user_id, userId)).limit(1),
  ]);
  const app = apps.find(({ confirmed_at }) => confirmed_at !== null);
  return { user_id: userId, app, has_passkey: keys.length > 0 };
}

export async function hasRecoveryCode(db: Db, codeHash: string): Promise<boolean> {
  const rows = await db
    .select({ id: recoveryCodes.id })
    .from(recoveryCodes)
    .where(eq(recoveryCodes.code_hash, codeHash))
    .limit(1);
  return rows.length > 0;
}

/** The condition under which codes of this step are used up, or the secret that they were checked with was replaced. */
export function isStepUsed({ user_id, sealed_secret }: TwoFactorRecord, step: number): SQL {
  const same = and(eq(twoFactors.user_id, user_id), eq(twoFactors.sealed_secret, sealed_secret));
  const used = sql`EXISTS (SELECT 1 FROM ${twoFactors} WHERE ${and(same, gte(twoFactors.last_used_step, step))})`;
  return sql`(${used} OR NOT EXISTS (SELECT 1 FROM ${twoFactors} WHERE ${same}))`;
}

/** The condition under which a recovery code is used up. */
export function isRecoveryCodeUsed(codeHash: string): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM ${recoveryCodes} WHERE ${eq(recoveryCodes.code_hash, codeHash)})`;
}

/** The condition under which the secret was confirmed, replaced or removed since it was read. */
export function isSetupOver({ user_id, sealed_secret }: TwoFactorRecord): SQL {
  const open = and(
    eq(twoFactors.user_id, user_id),
    eq(twoFactors.sealed_secret, sealed_secret),
    isNull(twoFactors.confirmed_at),
  );
  return sql`NOT EXISTS (SELECT 1 FROM ${twoFactors} WHERE ${open})`;
}

/** The condition under which the account asks for a second factor. */
export function isTwoFactorOn(userId: string): SQL {
  const on = and(eq(twoFactors.user_id, userId), sql`${twoFactors.confirmed_at} IS NOT NULL`);
  return sql`EXISTS (SELECT 1 FROM ${twoFactors} WHERE ${on})`;
}
