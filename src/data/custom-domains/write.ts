import { and, eq, isNull, lte, ne, or, type SQL, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { statusPages } from "../status-pages/table.ts";
import type { DomainRecord } from "./read.ts";
import { customDomains } from "./table.ts";

export type DomainChange = Partial<Omit<DomainRecord, "hostname" | "owner_id" | "created_at">>;

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

/** Releases the domains of the page but `except`; a verified one is reserved for its owner. */
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

/** Updates a claim as it was read, unless the domain belongs to another account by now. */
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
