import { and, desc, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { users } from "../users/table.ts";
import { wallLinks } from "./table.ts";

export type WallLinkRecord = typeof wallLinks.$inferSelect;

/** Of an account that may be signed in to. */
export async function findWallLink(db: Db, tokenHash: string) {
  const rows = await db
    .select({ link: wallLinks, user: users })
    .from(wallLinks)
    .innerJoin(users, eq(users.id, wallLinks.user_id))
    .where(and(eq(wallLinks.token_hash, tokenHash), isNull(users.deactivated_at), isNull(users.deleted_at)))
    .limit(1);
  return rows[0];
}

/** Newest first. */
export async function listWallLinks(db: Db, userId: string, limit: number): Promise<WallLinkRecord[]> {
  return db
    .select()
    .from(wallLinks)
    .where(eq(wallLinks.user_id, userId))
    .orderBy(desc(wallLinks.created_at), desc(wallLinks.id))
    .limit(limit);
}

export function hasWallLinks(userId: string, max: number): SQL {
  return sql`(SELECT count(*) FROM ${wallLinks} WHERE ${wallLinks.user_id} = ${userId}) >= ${max}`;
}
