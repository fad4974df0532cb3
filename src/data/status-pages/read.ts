import { and, asc, count, eq, isNotNull, or, type SQL, sql } from "drizzle-orm";
import type { Pagination } from "../../contract/pagination.ts";
import type { Db } from "../db.ts";
import { isAbove, skippedOf } from "../keyset.ts";
import { type Viewer, visibleTo } from "../members/read.ts";
import { monitors } from "../monitors/table.ts";
import { statusPages } from "./table.ts";

/** A request names at most 500 monitors, whose child monitors are where they are. */
const PLACES_MAX = 1000;

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

/** Monitors with the child monitors of the composites among them, as a list in SQL. */
export function withChildren(monitorIds: readonly string[]): SQL {
  const named = sql`SELECT value FROM json_each(${JSON.stringify(monitorIds)})`;
  return sql`(${named} UNION SELECT id FROM monitors WHERE parent_monitor_id IN (${named}))`;
}

/** Where the monitors with sealed values are now that an assignment puts on the page or takes off it: one for each place. */
export function listSealedMoved(db: Db, { page_id, monitor_ids }: { page_id: string; monitor_ids: readonly string[] }) {
  const chosen = withChildren(monitor_ids);
  const isLeaving = and(eq(monitors.status_page_id, page_id), sql`${monitors.id} NOT IN ${chosen}`);
  const isComing = sql`(${monitors.id} IN ${chosen} AND ${monitors.status_page_id} IS NOT ${page_id})`;
  return db
    .select({ owner_id: monitors.owner_id, status_page_id: monitors.status_page_id, sealed: monitors.sealed })
    .from(monitors)
    .where(and(isNotNull(monitors.sealed), or(isLeaving, isComing)))
    .groupBy(monitors.owner_id, monitors.status_page_id)
    .limit(PLACES_MAX);
}

export async function findPageOwner(db: Db, pageId: string): Promise<string | undefined> {
  const rows = await db
    .select({ owner_id: statusPages.owner_id })
    .from(statusPages)
    .where(eq(statusPages.id, pageId))
    .limit(1);
  return rows[0]?.owner_id;
}

/** Of these pages those that exist, by slug or by id. */
export function listPageNames(db: Db, { slugs, ids }: { slugs: readonly string[]; ids: readonly string[] }) {
  const isOne = (column: typeof statusPages.slug | typeof statusPages.id, values: readonly string[]) =>
    sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;
  return db
    .select({ id: statusPages.id, slug: statusPages.slug })
    .from(statusPages)
    .where(sql`${isOne(statusPages.slug, slugs)} OR ${isOne(statusPages.id, ids)}`)
    .limit(slugs.length + ids.length);
}
