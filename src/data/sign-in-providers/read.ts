import { asc, eq, type SQL, sql } from "drizzle-orm";
import { PROVIDERS_MAX } from "../../contract/sign-in.ts";
import type { Db } from "../db.ts";
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

/** What its groups give; nothing where operators do not manage it. */
export async function findGroupRoles(db: Db, id: string): Promise<SignInProviderRecord["group_roles"]> {
  return (await findSignInProvider(db, id))?.group_roles ?? [];
}
