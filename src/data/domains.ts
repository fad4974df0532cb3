import { and, asc, eq, isNull, lte, ne, or, type SQL, sql } from "drizzle-orm";
import type { Db, Statement } from "./db.ts";
import { customDomains } from "./domains.table.ts";
import { statusPages } from "./status-pages.table.ts";

export type DomainRecord = typeof customDomains.$inferSelect;
export type DomainChange = Partial<Omit<DomainRecord, "hostname" | "owner_id" | "created_at">>;

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

/** A claim that was never proven in time, or whose proof is lost for good: others may claim the name. */
const isLapsed = and(
  eq(customDomains.status, "error"),
  or(isNull(customDomains.proven_at), sql`${customDomains.lost_since} IS NOT NULL`),
);

/** A name that its page gave up: free for its former owner, and for everybody once nothing holds it. */
function isFree(ownerId: string, now: number): SQL | undefined {
  return and(
    isNull(customDomains.status_page_id),
    or(eq(customDomains.owner_id, ownerId), isNull(customDomains.proven_at), lte(customDomains.held_until, now)),
  );
}

/** Makes the batch fail on the name's primary key where another page has it, or where it is still held. */
export function claimDomain(db: Db, claim: DomainRecord): Statement[] {
  const named = eq(customDomains.hostname, claim.hostname);
  return [
    db
      .update(statusPages)
      .set({ custom_domain: null })
      .where(
        and(
          eq(statusPages.custom_domain, claim.hostname),
          sql`EXISTS (SELECT 1 FROM ${customDomains} WHERE ${customDomains.status_page_id} = ${statusPages.id} AND ${isLapsed})`,
        ),
      ),
    db.delete(customDomains).where(and(named, or(isFree(claim.owner_id, claim.claimed_at), isLapsed))),
    db.insert(customDomains).values(claim),
  ];
}

/** The page gives up whatever name it has but `except`; a proven one is held for its owner. */
export function releaseDomain(
  db: Db,
  { page_id, except, now, held_until }: { page_id: string; except: string | null; now: number; held_until: number },
): Statement {
  return db
    .update(customDomains)
    .set({ status_page_id: null, held_until, next_check_at: now, updated_at: now })
    .where(
      and(eq(customDomains.status_page_id, page_id), except === null ? undefined : ne(customDomains.hostname, except)),
    );
}

export function updateDomain(db: Db, hostname: string, change: DomainChange): Statement {
  return db.update(customDomains).set(change).where(eq(customDomains.hostname, hostname));
}

/** Changes a claim as it was read, unless the name is somebody else's by now. */
export function updateClaim(db: Db, claim: DomainRecord, change: DomainChange): Statement {
  return db.update(customDomains).set(change).where(isStill(claim));
}

function isStill({ hostname, proof, status_page_id }: DomainRecord): SQL | undefined {
  return and(
    eq(customDomains.hostname, hostname),
    eq(customDomains.proof, proof),
    status_page_id === null ? isNull(customDomains.status_page_id) : eq(customDomains.status_page_id, status_page_id),
  );
}

export function deleteDomain(db: Db, hostname: string): Statement {
  return db
    .delete(customDomains)
    .where(and(eq(customDomains.hostname, hostname), isNull(customDomains.status_page_id)));
}

/** What is due, and what lost its page together with which it was deleted. */
export async function listDueDomains(db: Db, now: number, limit: number): Promise<DomainRecord[]> {
  return db
    .select()
    .from(customDomains)
    .where(
      or(
        lte(customDomains.next_check_at, now),
        and(isNull(customDomains.status_page_id), isNull(customDomains.held_until)),
      ),
    )
    .orderBy(asc(customDomains.next_check_at))
    .limit(limit);
}
