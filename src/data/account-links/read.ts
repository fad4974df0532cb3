import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import type { UserRecord } from "../users/read.ts";
import { users } from "../users/table.ts";
import { accountLinks } from "./table.ts";

export type AccountLinkRecord = typeof accountLinks.$inferSelect;

/** The account that an unused, unexpired link of this kind opens. */
export async function findLinkOwner(
  db: Db,
  { kind, token_hash, now }: Pick<AccountLinkRecord, "kind" | "token_hash"> & { now: number },
): Promise<{ user: UserRecord; link: AccountLinkRecord } | undefined> {
  const rows = await db
    .select({ user: users, link: accountLinks })
    .from(accountLinks)
    .innerJoin(users, eq(users.id, accountLinks.user_id))
    .where(and(eq(accountLinks.token_hash, token_hash), eq(accountLinks.kind, kind), gt(accountLinks.expires_at, now)))
    .limit(1);
  return rows[0];
}

/** The condition under which a link was used since it was read. */
export function isLinkUsed(linkId: string): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM ${accountLinks} WHERE ${eq(accountLinks.id, linkId)})`;
}
