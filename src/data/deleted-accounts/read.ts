import { and, asc, eq, isNotNull } from "drizzle-orm";
import type { Db } from "../db.ts";
import { pageMembers } from "../members/table.ts";
import { monitors } from "../monitors/table.ts";
import { statusPages } from "../status-pages/table.ts";
import type { UserRecord } from "../users/read.ts";
import { users } from "../users/table.ts";

/** Accounts whose deletion is not finished, the longest deleted first. */
export async function listDeletedAccounts(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(isNotNull(users.deleted_at))
    .orderBy(asc(users.deleted_at))
    .limit(limit);
  return rows.map(({ id }) => id);
}

export async function listMonitorIdsOf(db: Db, ownerId: string, limit: number): Promise<string[]> {
  const rows = await db.select({ id: monitors.id }).from(monitors).where(eq(monitors.owner_id, ownerId)).limit(limit);
  return rows.map(({ id }) => id);
}

export function listPagesOf(db: Db, ownerId: string, limit: number) {
  return db
    .select({ id: statusPages.id, slug: statusPages.slug, name: statusPages.name, owner_id: statusPages.owner_id })
    .from(statusPages)
    .where(eq(statusPages.owner_id, ownerId))
    .limit(limit);
}

/** Accounts that the owner opened for members of its pages, and whose e-mail addresses are not verified. */
export async function listOpenedMembers(db: Db, ownerId: string, limit: number): Promise<UserRecord[]> {
  const rows = await db
    .selectDistinct({ user: users })
    .from(statusPages)
    .innerJoin(pageMembers, eq(pageMembers.status_page_id, statusPages.id))
    .innerJoin(users, and(eq(users.id, pageMembers.user_id), eq(users.vouched_by, ownerId)))
    .where(eq(statusPages.owner_id, ownerId))
    .limit(limit);
  return rows.map(({ user }) => user);
}
