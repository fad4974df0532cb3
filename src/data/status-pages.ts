import { and, asc, count, eq, sql } from "drizzle-orm";
import type { Db, Statement } from "./db.ts";
import { statusPages } from "./status-pages.table.ts";

export type StatusPageRecord = typeof statusPages.$inferSelect;
export type NewStatusPage = typeof statusPages.$inferInsert;

export async function findPage(db: Db, pageId: string): Promise<StatusPageRecord | undefined> {
  const rows = await db.select().from(statusPages).where(eq(statusPages.id, pageId)).limit(1);
  return rows[0];
}

export async function listOwnedPages(db: Db, ownerId: string, page: { limit: number; offset: number }) {
  const mine = eq(statusPages.owner_id, ownerId);
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(statusPages)
      .where(mine)
      .orderBy(asc(statusPages.created_at), asc(statusPages.id))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(statusPages).where(mine),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

/** Makes readers rebuild the public payload; belongs into every batch that changes anything shown on the page. */
export function bumpPageVersion(db: Db, pageId: string, now: number): Statement {
  return db
    .update(statusPages)
    .set({ version: sql`${statusPages.version} + 1`, updated_at: now })
    .where(and(eq(statusPages.id, pageId)));
}
