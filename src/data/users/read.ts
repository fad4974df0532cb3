import { and, count, desc, eq, gt, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { hasMembership } from "../members/read.ts";
import { apiTokens, users } from "./table.ts";

export type UserRecord = typeof users.$inferSelect;
export type ApiTokenRecord = typeof apiTokens.$inferSelect;

/** The owner of a token that is neither revoked nor expired, by its secret or the one before, in one indexed read. */
export async function findTokenOwner(
  db: Db,
  tokenHash: string,
  now: number,
): Promise<{ user: UserRecord; token: ApiTokenRecord; is_member: boolean } | undefined> {
  const rows = await db
    .select({ user: users, token: apiTokens, is_member: hasMembership(users.id) })
    .from(apiTokens)
    .innerJoin(users, eq(users.id, apiTokens.user_id))
    .where(
      and(
        or(
          eq(apiTokens.token_hash, tokenHash),
          and(eq(apiTokens.former_hash, tokenHash), gt(apiTokens.former_until, now)),
        ),
        or(isNull(apiTokens.expires_at), gt(apiTokens.expires_at, now)),
        isNull(users.deactivated_at),
      ),
    )
    .limit(1);
  return rows[0];
}

export async function findUser(db: Db, userId: string): Promise<UserRecord | undefined> {
  const rows = await db.select().from(users).where(eq(users.id, userId)).limit(1);
  return rows[0];
}

export async function listUsers(db: Db, userIds: readonly string[]): Promise<UserRecord[]> {
  return db
    .select()
    .from(users)
    .where(sql`${users.id} IN (SELECT value FROM json_each(${JSON.stringify(userIds)}))`)
    .limit(userIds.length);
}

export async function findUserByEmail(db: Db, email: string): Promise<UserRecord | undefined> {
  const rows = await db.select().from(users).where(eq(users.email, email)).limit(1);
  return rows[0];
}

/** Of these addresses, those that an account has. */
export async function listAddressesOfAccounts(db: Db, emails: readonly string[]): Promise<string[]> {
  if (emails.length === 0) return [];
  const isAmong = sql`${users.email} IN (SELECT value FROM json_each(${JSON.stringify(emails)}))`;
  const rows = await db.select({ email: users.email }).from(users).where(isAmong).limit(emails.length);
  return rows.map(({ email }) => email);
}

/** Those whom operators have shut out, the last one first. */
export async function listDeactivated(db: Db, page: { limit: number; offset: number }) {
  const deactivated = isNotNull(users.deactivated_at);
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(users)
      .where(deactivated)
      .orderBy(desc(users.deactivated_at), desc(users.id))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(users).where(deactivated),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

export async function touchToken(
  db: Db,
  tokenId: string,
  used: Partial<Pick<ApiTokenRecord, "last_used_at" | "former_used_at">>,
): Promise<void> {
  await db.update(apiTokens).set(used).where(eq(apiTokens.id, tokenId));
}

/** The condition under which a token was rotated or revoked since it was read. */
export function isTokenReplaced({ id, token_hash }: ApiTokenRecord): SQL {
  const same = and(eq(apiTokens.id, id), eq(apiTokens.token_hash, token_hash));
  return sql`NOT EXISTS (SELECT 1 FROM ${apiTokens} WHERE ${same})`;
}

export async function listTokens(db: Db, userId: string, page: { limit: number; offset: number }) {
  const mine = eq(apiTokens.user_id, userId);
  const [rows, totals] = await db.batch([
    db.select().from(apiTokens).where(mine).orderBy(desc(apiTokens.created_at)).limit(page.limit).offset(page.offset),
    db.select({ total: count() }).from(apiTokens).where(mine),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

export async function findToken(db: Db, userId: string, tokenId: string): Promise<ApiTokenRecord | undefined> {
  const rows = await db
    .select()
    .from(apiTokens)
    .where(and(eq(apiTokens.id, tokenId), eq(apiTokens.user_id, userId)))
    .limit(1);
  return rows[0];
}

export const hasOpenedAccounts = (ownerId: string) => (max: number) =>
  sql`EXISTS (SELECT 1 FROM ${users} WHERE ${users.id} = ${ownerId} AND ${users.opened_accounts} >= ${max})`;

/** Whether the account was changed since it was read, or is gone. */
export function isUserChanged({ id, updated_at }: Pick<UserRecord, "id" | "updated_at">): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM ${users} WHERE ${and(eq(users.id, id), eq(users.updated_at, updated_at))})`;
}

/** The same, or the other account is none of an operator any more. */
export function isChangedOrNoOperator(user: Pick<UserRecord, "id" | "updated_at">, operatorId: string): SQL {
  const isStill = and(eq(users.id, operatorId), eq(users.operator, true), isNull(users.deactivated_at));
  return sql`(${isUserChanged(user)} OR NOT EXISTS (SELECT 1 FROM ${users} WHERE ${isStill}))`;
}
