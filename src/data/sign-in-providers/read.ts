import { asc, eq, type SQL, sql } from "drizzle-orm";
import { PROVIDERS_MAX } from "../../contract/sign-in.ts";
import type { Db } from "../db.ts";
import { linkedSignIns } from "../linked-sign-ins/table.ts";
import { passkeys } from "../passkeys/table.ts";
import { passwords } from "../sessions/table.ts";
import { users } from "../users/table.ts";
import { signInProviders } from "./table.ts";

export type SignInProviderRecord = typeof signInProviders.$inferSelect;

/** In the order in which they were added. */
export function listSignInProviders(db: Db): Promise<SignInProviderRecord[]> {
  return db
    .select()
    .from(signInProviders)
    .orderBy(asc(signInProviders.created_at), asc(signInProviders.id))
    .limit(PROVIDERS_MAX);
}

export async function findSignInProvider(db: Db, id: string): Promise<SignInProviderRecord | undefined> {
  const rows = await db.select().from(signInProviders).where(eq(signInProviders.id, id)).limit(1);
  return rows[0];
}

/** The condition that there are as many as there may be. */
export const hasAllSignInProviders: SQL = sql`(SELECT count(*) FROM ${signInProviders}) >= ${PROVIDERS_MAX}`;

/** The condition that the provider is no longer as it was read. */
export function isSignInProviderChanged({ id, updated_at }: Pick<SignInProviderRecord, "id" | "updated_at">): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM ${signInProviders}
    WHERE ${signInProviders.id} = ${id} AND ${signInProviders.updated_at} = ${updated_at})`;
}

/** The condition that operators sign in by this issuer, and none has a password, a passkey or one of the other issuers beside it. */
function locksOperatorsOut(issuer: string, others: readonly string[]): SQL {
  const has = (table: typeof passwords | typeof passkeys) =>
    sql`EXISTS (SELECT 1 FROM ${table} WHERE ${table.user_id} = ${users.id})`;
  const isLinkedTo = (issuers: readonly string[]) =>
    sql`EXISTS (SELECT 1 FROM ${linkedSignIns} WHERE ${linkedSignIns.user_id} = ${users.id}
      AND ${linkedSignIns.issuer} IN (SELECT value FROM json_each(${JSON.stringify(issuers)})))`;
  const anOperator = sql`SELECT 1 FROM ${users} WHERE ${users.operator} = 1
    AND ${users.deactivated_at} IS NULL AND ${users.deleted_at} IS NULL`;
  return sql`(EXISTS (${anOperator} AND ${isLinkedTo([issuer])})
    AND NOT EXISTS (${anOperator} AND (${has(passwords)} OR ${has(passkeys)} OR ${isLinkedTo(others)})))`;
}

/** Whether no operator could sign in any more without this provider. */
export async function isLastWayIn(
  db: Db,
  { issuer }: SignInProviderRecord,
  others: readonly string[],
): Promise<boolean> {
  return (await db.all(sql`SELECT 1 WHERE ${locksOperatorsOut(issuer, others)}`)).length > 0;
}

/** The same, or the provider is no longer as it was read. */
export function isChangedOrLastWayIn(provider: SignInProviderRecord, others: readonly string[]): SQL {
  return sql`(${isSignInProviderChanged(provider)} OR ${locksOperatorsOut(provider.issuer, others)})`;
}

/** What its groups give; nothing where operators do not manage it. */
export async function findGroupRoles(db: Db, id: string): Promise<SignInProviderRecord["group_roles"]> {
  return (await findSignInProvider(db, id))?.group_roles ?? [];
}
