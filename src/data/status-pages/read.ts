import { and, asc, count, eq, type SQL, sql } from "drizzle-orm";
import type { Pagination } from "../../contract/pagination.ts";
import type { Db } from "../db.ts";
import { isAbove, skippedOf } from "../keyset.ts";
import { type Viewer, visibleTo } from "../members/read.ts";
import { statusPages } from "./table.ts";

export type StatusPageRecord = typeof statusPages.$inferSelect;

export async function findPage(db: Db, pageId: string): Promise<StatusPageRecord | undefined> {
  const rows = await db.select().from(statusPages).where(eq(statusPages.id, pageId)).limit(1);
  return rows[0];
}

/** Whether anything of the page was written since it was read, or it is gone. */
export function isPageChanged({ id, version }: Pick<StatusPageRecord, "id" | "version">): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM ${statusPages} WHERE ${and(eq(statusPages.id, id), eq(statusPages.version, version))})`;
}

export async function isSlugTaken(db: Db, slug: string): Promise<boolean> {
  const rows = await db.select({ id: statusPages.id }).from(statusPages).where(eq(statusPages.slug, slug)).limit(1);
  return rows.length > 0;
}

/** The pages that a user owns or is a member of. */
export async function listVisiblePages(db: Db, viewer: Viewer, page: Pagination) {
  const mine = visibleTo(viewer, { owner_id: statusPages.owner_id, status_page_id: statusPages.id });
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(statusPages)
      .where(and(mine, isAbove(page, statusPages.created_at, statusPages.id)))
      .orderBy(asc(statusPages.created_at), asc(statusPages.id))
      .limit(page.limit)
      .offset(skippedOf(page)),
    db.select({ total: count() }).from(statusPages).where(mine),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

export async function countOwnedPages(db: Db, ownerId: string): Promise<number> {
  const rows = await db.select({ total: count() }).from(statusPages).where(eq(statusPages.owner_id, ownerId));
  return rows[0]?.total ?? 0;
}

/** The condition under which an account has used up its pages. */
export function ownsAtLeast(ownerId: string, pages: number): SQL {
  return sql`(SELECT count(*) FROM ${statusPages} WHERE ${statusPages.owner_id} = ${ownerId}) >= ${pages}`;
}

/** What changes the routing of alerts of these pages; pages without anything are left out. */
export function listAlertRouting(db: Db, pageIds: readonly string[]) {
  return db
    .select({
      id: statusPages.id,
      alert_routing: statusPages.alert_routing,
      alert_suppressions: statusPages.alert_suppressions,
    })
    .from(statusPages)
    .where(
      sql`${statusPages.id} IN (SELECT value FROM json_each(${JSON.stringify(pageIds)}))
        AND (${statusPages.alert_routing} <> '{}' OR ${statusPages.alert_suppressions} <> '{}')`,
    );
}
