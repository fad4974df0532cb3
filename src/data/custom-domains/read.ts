import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { statusPages } from "../status-pages/table.ts";
import { customDomains } from "./table.ts";

/** Its page was deleted. Spelled out, not bound: SQLite uses the partial index only for the very same condition. */
const isOrphaned = sql`${customDomains.status_page_id} IS NULL AND ${customDomains.held_until} IS NULL`;

export type DomainRecord = typeof customDomains.$inferSelect;

export async function findDomainOfPage(db: Db, pageId: string): Promise<DomainRecord | undefined> {
  const rows = await db.select().from(customDomains).where(eq(customDomains.status_page_id, pageId)).limit(1);
  return rows[0];
}

/** Finds the name under which a page is served, where there is one. */
export function isServedUnder(pageId: typeof statusPages.id | string): SQL | undefined {
  return and(eq(customDomains.status_page_id, pageId), eq(customDomains.status, "active"));
}

export function selectServedDomain(db: Db, pageId: string) {
  return db.select({ hostname: customDomains.hostname }).from(customDomains).where(isServedUnder(pageId));
}

/** The names of those of the pages that are served under one. */
export async function listServedDomains(db: Db, pageIds: readonly string[]): Promise<Map<string, string>> {
  const among = sql`${customDomains.status_page_id} IN (SELECT value FROM json_each(${JSON.stringify(pageIds)}))`;
  const rows = await db
    .select({ page_id: customDomains.status_page_id, hostname: customDomains.hostname })
    .from(customDomains)
    .where(and(among, eq(customDomains.status, "active")))
    .limit(pageIds.length);
  return new Map(rows.map(({ page_id, hostname }) => [page_id ?? "", hostname]));
}

/** The page that is served under this host name, in one indexed read. */
export async function findSlugOfHost(db: Db, hostname: string): Promise<string | undefined> {
  const rows = await db
    .select({ slug: statusPages.slug })
    .from(customDomains)
    .innerJoin(statusPages, eq(statusPages.id, customDomains.status_page_id))
    .where(and(eq(customDomains.hostname, hostname), eq(customDomains.status, "active")))
    .limit(1);
  return rows[0]?.slug;
}

/** Claims that are due, the longest overdue first, and claims of deleted pages. */
export async function listDueDomains(db: Db, now: number, limit: number): Promise<DomainRecord[]> {
  const due = sql`SELECT proof FROM ${customDomains} WHERE ${customDomains.next_check_at} <= ${now}
    ORDER BY ${customDomains.next_check_at} LIMIT ${limit}`;
  const orphaned = sql`SELECT proof FROM ${customDomains} WHERE ${isOrphaned} LIMIT ${limit}`;
  return db
    .select()
    .from(customDomains)
    .where(sql`${customDomains.proof} IN (SELECT * FROM (${due}) UNION SELECT * FROM (${orphaned}))`)
    .orderBy(asc(customDomains.next_check_at))
    .limit(limit);
}
