import { and, eq, isNull, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import type { ApiTokenRecord, UserRecord } from "./read.ts";
import { apiTokens, users } from "./table.ts";

export function insertUser(db: Db, user: UserRecord): Statement {
  return db.insert(users).values(user);
}

export function insertToken(db: Db, token: ApiTokenRecord): Statement {
  return db.insert(apiTokens).values(token);
}

export function rotateToken(
  db: Db,
  {
    id,
    ...set
  }: Pick<
    ApiTokenRecord,
    "id" | "token_hash" | "token_prefix" | "former_hash" | "former_until" | "former_used_at" | "updated_at"
  >,
): Statement {
  return db.update(apiTokens).set(set).where(eq(apiTokens.id, id));
}

export function renameUser(db: Db, { id, name }: Pick<UserRecord, "id" | "name">): Statement {
  return db.update(users).set({ name }).where(eq(users.id, id));
}

export function setPreferences(
  db: Db,
  userId: string,
  change: Pick<UserRecord, "preferences" | "updated_at">,
): Statement {
  return db.update(users).set(change).where(eq(users.id, userId));
}

/** Counted for good: an account that was removed, or deleted, was opened all the same. */
export function countOpenedAccount(db: Db, ownerId: string): Statement {
  return db
    .update(users)
    .set({ opened_accounts: sql`${users.opened_accounts} + 1` })
    .where(eq(users.id, ownerId));
}

/** A verified account needs no vouching owner, so its plan is the operator's default. */
export function markVerified(db: Db, userId: string, now: number): Statement {
  return db
    .update(users)
    .set({ email_verified_at: now, vouched_by: null, plan: null, updated_at: now })
    .where(and(eq(users.id, userId), isNull(users.email_verified_at)));
}

export function deleteToken(db: Db, userId: string, tokenId: string): Statement {
  return db.delete(apiTokens).where(and(eq(apiTokens.id, tokenId), eq(apiTokens.user_id, userId)));
}
