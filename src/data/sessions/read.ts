import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import type { UserRecord } from "../users/read.ts";
import { users } from "../users/table.ts";
import { passwords, sessions } from "./table.ts";

export type SessionRecord = typeof sessions.$inferSelect;

/** Before these instants a session must have been used, or begun, to be over. */
export interface SessionLimits {
  idle_since: number;
  begun_before: number;
}

/** The person behind a session that is still alive, in one indexed read. */
export async function findSessionOwner(
  db: Db,
  tokenHash: string,
  limits: SessionLimits,
): Promise<{ user: UserRecord; session: SessionRecord } | undefined> {
  const rows = await db
    .select({ user: users, session: sessions })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.user_id))
    .where(
      and(
        eq(sessions.token_hash, tokenHash),
        gt(sessions.last_used_at, limits.idle_since),
        gt(sessions.created_at, limits.begun_before),
      ),
    )
    .limit(1);
  return rows[0];
}

export async function findSession(db: Db, sessionId: string): Promise<SessionRecord | undefined> {
  const rows = await db.select().from(sessions).where(eq(sessions.id, sessionId)).limit(1);
  return rows[0];
}

export async function touchSession(db: Db, sessionId: string, now: number): Promise<void> {
  await db.update(sessions).set({ last_used_at: now }).where(eq(sessions.id, sessionId));
}

/** Who signs in under this address, and the hash that the password is held against; null: they have none. */
export async function findSignIn(
  db: Db,
  email: string,
): Promise<{ user: UserRecord; hash: string | null } | undefined> {
  const rows = await db
    .select({ user: users, hash: passwords.hash })
    .from(users)
    .leftJoin(passwords, eq(passwords.user_id, users.id))
    .where(eq(users.email, email))
    .limit(1);
  return rows[0];
}

export async function findPasswordHash(db: Db, userId: string): Promise<string | null> {
  const rows = await db.select({ hash: passwords.hash }).from(passwords).where(eq(passwords.user_id, userId)).limit(1);
  return rows[0]?.hash ?? null;
}

/** The condition under which the password was changed since it was read. */
export function hasOtherPassword(userId: string, hash: string | null): SQL {
  return sql`(SELECT ${passwords.hash} FROM ${passwords} WHERE ${passwords.user_id} = ${userId}) IS NOT ${hash}`;
}
