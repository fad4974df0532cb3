import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import type { UserRecord } from "../users/read.ts";
import { users } from "../users/table.ts";
import { passkeys, usedChallenges } from "./table.ts";

export type PasskeyRecord = typeof passkeys.$inferSelect;

/** A passkey by the device's name of it, with the account that it opens. */
export async function findPasskeyOwner(
  db: Db,
  credentialId: string,
): Promise<{ user: UserRecord; passkey: PasskeyRecord } | undefined> {
  const rows = await db
    .select({ user: users, passkey: passkeys })
    .from(passkeys)
    .innerJoin(users, eq(users.id, passkeys.user_id))
    .where(eq(passkeys.credential_id, credentialId))
    .limit(1);
  return rows[0];
}

/** All of an account, the oldest first; there are few. */
export function listPasskeys(db: Db, userId: string, max: number): Promise<PasskeyRecord[]> {
  return db
    .select()
    .from(passkeys)
    .where(eq(passkeys.user_id, userId))
    .orderBy(asc(passkeys.created_at), asc(passkeys.id))
    .limit(max);
}

export async function findPasskey(db: Db, userId: string, id: string): Promise<PasskeyRecord | undefined> {
  const rows = await db
    .select()
    .from(passkeys)
    .where(and(eq(passkeys.id, id), eq(passkeys.user_id, userId)))
    .limit(1);
  return rows[0];
}

/** The condition under which an account has a passkey. */
export function hasPasskey(userId: string): SQL {
  return sql`EXISTS (SELECT 1 FROM ${passkeys} WHERE ${eq(passkeys.user_id, userId)})`;
}

/** The condition under which an account has as many passkeys as it may. */
export function hasPasskeys(userId: string, max: number): SQL {
  return sql`(SELECT count(*) FROM ${passkeys} WHERE ${eq(passkeys.user_id, userId)}) >= ${max}`;
}

/** The condition under which a challenge was answered before. */
export function isChallengeUsed(challengeHash: string): SQL {
  return sql`EXISTS (SELECT 1 FROM ${usedChallenges} WHERE ${eq(usedChallenges.challenge_hash, challengeHash)})`;
}

/** The condition under which a passkey was removed, or used by another request, since it was read. */
export function isPasskeyStale({ id, counter }: PasskeyRecord): SQL {
  const same = and(eq(passkeys.id, id), eq(passkeys.counter, counter));
  return sql`NOT EXISTS (SELECT 1 FROM ${passkeys} WHERE ${same})`;
}
