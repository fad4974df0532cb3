import { and, asc, count, eq, max, sql } from "drizzle-orm";
import type { Pagination } from "../../contract/pagination.ts";
import type { Db } from "../db.ts";
import { isAbove, skippedOf } from "../keyset.ts";
import { type Viewer, visibleTo } from "../members/read.ts";
import { monitorGroups } from "./table.ts";

export type MonitorGroupRecord = typeof monitorGroups.$inferSelect;

export async function findMonitorGroup(db: Db, groupId: string): Promise<MonitorGroupRecord | undefined> {
  const rows = await db.select().from(monitorGroups).where(eq(monitorGroups.id, groupId)).limit(1);
  return rows[0];
}

export async function listGroupsByIds(db: Db, ids: readonly string[]): Promise<MonitorGroupRecord[]> {
  return db
    .select()
    .from(monitorGroups)
    .where(sql`${monitorGroups.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`)
    .limit(ids.length);
}

/** The groups of one page, or of all pages that a viewer can see, in their order. */
export async function listMonitorGroups(
  db: Db,
  scope: { status_page_id: string } | { visible_to: Viewer },
  page: Pagination,
) {
  const within =
    "visible_to" in scope
      ? visibleTo(scope.visible_to, monitorGroups)
      : eq(monitorGroups.status_page_id, scope.status_page_id);
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(monitorGroups)
      .where(and(within, isAbove(page, monitorGroups.position, monitorGroups.id)))
      .orderBy(asc(monitorGroups.position), asc(monitorGroups.id))
      .limit(page.limit)
      .offset(skippedOf(page)),
    db.select({ total: count() }).from(monitorGroups).where(within),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

/** The highest position on a page, so that something new may stand below it; -1 when there is nothing. */
export async function findLastGroupPosition(db: Db, pageId: string): Promise<number> {
  const rows = await db
    .select({ last: max(monitorGroups.position) })
    .from(monitorGroups)
    .where(eq(monitorGroups.status_page_id, pageId));
  return rows[0]?.last ?? -1;
}
