import { and, desc, eq, gte, not, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import type { UserRecord } from "../users/read.ts";
import { users } from "../users/table.ts";
import { linkedSignIns } from "./table.ts";

export type LinkedSignInRecord = typeof linkedSignIns.$inferSelect;
type Identity = Pick<LinkedSignInRecord, "issuer" | "subject">;

export async function findLinkedUser(
  db: Db,
  { issuer, subject }: Identity,
): Promise<{ user: UserRecord; linked: LinkedSignInRecord } | undefined> {
  const rows = await db
    .select({ user: users, linked: linkedSignIns })
    .from(linkedSignIns)
    .innerJoin(users, eq(users.id, linkedSignIns.user_id))
    .where(and(eq(linkedSignIns.issuer, issuer), eq(linkedSignIns.subject, subject)))
    .limit(1);
  return rows[0];
}

/** Nobody links more than a few; the newest come first. */
export function listLinkedSignIns(db: Db, userId: string, limit: number): Promise<LinkedSignInRecord[]> {
  return db
    .select()
    .from(linkedSignIns)
    .where(eq(linkedSignIns.user_id, userId))
    .orderBy(desc(linkedSignIns.created_at), desc(linkedSignIns.id))
    .limit(limit);
}

/** Whether this sign-in, or one that began later, was accepted already, or the link is gone. */
export function isSignInUsed({ issuer, subject }: Identity, begunAt: number): SQL {
  const same = and(eq(linkedSignIns.issuer, issuer), eq(linkedSignIns.subject, subject));
  return sql`(NOT EXISTS (SELECT 1 FROM ${linkedSignIns} WHERE ${same})
    OR EXISTS (SELECT 1 FROM ${linkedSignIns} WHERE ${and(same, gte(linkedSignIns.begun_at, begunAt))}))`;
}

export function isSignInUnlinked(identity: Identity): SQL {
  return not(isSignInLinked(identity));
}

/** Whether somebody linked it meanwhile. */
export function isSignInLinked({ issuer, subject }: Identity): SQL {
  const same = and(eq(linkedSignIns.issuer, issuer), eq(linkedSignIns.subject, subject));
  return sql`EXISTS (SELECT 1 FROM ${linkedSignIns} WHERE ${same})`;
}

/** Whether the account has no other linked sign-in of these issuers. */
export function isLastLinkedSignIn(
  { id, user_id }: Pick<LinkedSignInRecord, "id" | "user_id">,
  issuers: readonly string[],
): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM ${linkedSignIns}
    WHERE ${linkedSignIns.user_id} = ${user_id} AND ${linkedSignIns.id} <> ${id}
      AND ${linkedSignIns.issuer} IN (SELECT value FROM json_each(${JSON.stringify(issuers)})))`;
}
