import { and, eq, isNotNull, ne, sql } from "drizzle-orm";
import type { MonitorSnapshot } from "../../contract/monitor-object.ts";
import { PAGE_SUPPRESSION } from "../../domain/alert-routing.ts";
import { changesPages, type Db, type Statement } from "../db.ts";
import { monitors } from "../monitors/table.ts";
import { withChildren } from "./read.ts";
import { statusPages } from "./table.ts";

export type NewStatusPage = typeof statusPages.$inferInsert;
export type StatusPageChange = Partial<Omit<NewStatusPage, "id" | "owner_id" | "created_by" | "version">>;

export function insertPage(db: Db, page: NewStatusPage): Statement {
  return db.insert(statusPages).values(page);
}

export function updatePage(db: Db, pageId: string, change: StatusPageChange): Statement {
  const statement = db
    .update(statusPages)
    .set({ ...change, version: sql`${statusPages.version} + 1` })
    .where(eq(statusPages.id, pageId));
  return changesPages(statement, [pageId]);
}

/** Its monitors stay, without a page. */
export function deletePage(db: Db, pageId: string): Statement {
  return changesPages(db.delete(statusPages).where(eq(statusPages.id, pageId)), [pageId]);
}

/**
 * Puts exactly these monitors of the page's owner on the page, composites with their members; those that leave it have
 * no page, those that come from another page are missing there at once. Who changes pages leaves their group, and a
 * member that is here without its composite leaves that.
 */
export function assignMonitors(
  db: Db,
  {
    page_id,
    owner_id,
    monitor_ids,
    left,
    now,
  }: {
    page_id: string;
    owner_id: string;
    monitor_ids: string[];
    /** The pages that monitors come from. */
    left: readonly string[];
    now: number;
  },
): Statement[] {
  const chosen = withChildren(monitor_ids);
  const coming = sql`${monitors.id} IN ${chosen} AND ${monitors.status_page_id} IS NOT ${page_id}`;
  const losing = db
    .update(statusPages)
    .set({ version: sql`${statusPages.version} + 1` })
    .where(
      and(
        ne(statusPages.id, page_id),
        sql`${statusPages.id} IN (SELECT ${monitors.status_page_id} FROM ${monitors} WHERE ${coming})`,
      ),
    );
  return [
    changesPages(losing, left),
    db
      .update(monitors)
      .set({ status_page_id: null, group_id: null, updated_at: now })
      .where(and(eq(monitors.status_page_id, page_id), sql`${monitors.id} NOT IN ${chosen}`)),
    db
      .update(monitors)
      .set({ status_page_id: page_id, group_id: null, updated_at: now })
      .where(and(eq(monitors.owner_id, owner_id), coming)),
    db
      .update(monitors)
      .set({ parent_monitor_id: null, updated_at: now })
      .where(
        and(
          eq(monitors.status_page_id, page_id),
          isNotNull(monitors.parent_monitor_id),
          sql`${monitors.parent_monitor_id} NOT IN (SELECT id FROM monitors WHERE status_page_id = ${page_id})`,
        ),
      ),
  ];
}

/** Makes readers rebuild the public payload; belongs into every batch that changes anything shown on the page. */
export function bumpPageVersion(db: Db, pageId: string, now: number): Statement {
  return bumpPageVersions(db, [pageId], now);
}

export function bumpPageVersions(db: Db, pageIds: readonly string[], now: number): Statement {
  const statement = db
    .update(statusPages)
    .set({ updated_at: now, version: sql`${statusPages.version} + 1` })
    .where(sql`${statusPages.id} IN (SELECT value FROM json_each(${JSON.stringify(pageIds)}))`);
  return changesPages(statement, pageIds);
}

/** The same where a snapshot of a monitor shows something new; gives the page. */
export function bumpPageOfMoved(
  db: Db,
  { monitor_id, revision, seq, status }: { monitor_id: string } & Pick<MonitorSnapshot, "revision" | "seq" | "status">,
  now: number,
) {
  const moved = sql`SELECT ${monitors.status_page_id} FROM ${monitors} WHERE ${monitors.id} = ${monitor_id}
    AND ${monitors.state_revision} < ${revision} AND (${monitors.state_seq} <> ${seq} OR ${monitors.status} <> ${status})`;
  return db
    .update(statusPages)
    .set({ updated_at: now, version: sql`${statusPages.version} + 1` })
    .where(sql`${statusPages.id} = (${moved})`)
    .returning({ id: statusPages.id });
}

/** Withholds alerts of one monitor or of the whole page; a longer suppression stays, ended ones are dropped. */
export function suppressAlerts(
  db: Db,
  pageId: string,
  { monitor_id, until, now }: { monitor_id: string | null; until: number; now: number },
): Statement {
  const merged = sql`(SELECT json_group_object(key, until) FROM (
    SELECT key, max(until) AS until FROM (
      SELECT key, value AS until FROM json_each(${statusPages.alert_suppressions}) WHERE value > ${now}
      UNION ALL SELECT ${monitor_id ?? PAGE_SUPPRESSION}, ${until})
    GROUP BY key))`;
  return db.update(statusPages).set({ alert_suppressions: merged }).where(eq(statusPages.id, pageId));
}
