import { and, eq, isNull, lte, ne, or, type SQL, sql } from "drizzle-orm";
import type { SslType } from "../../contract/status-page.ts";
import type { Db, Statement } from "../db.ts";
import { statusPages } from "../status-pages/table.ts";
import { failBatchWhen } from "../write-guards/write.ts";
import type { DomainRecord } from "./read.ts";
import { customDomains } from "./table.ts";

export type DomainChange = Partial<Omit<DomainRecord, "hostname" | "owner_id" | "created_at">>;

/** A claim that was never proven in time, or whose proof is lost for good: others may claim the name. */
const isLapsed = and(
  eq(customDomains.status, "error"),
  or(isNull(customDomains.proven_at), sql`${customDomains.lost_since} IS NOT NULL`),
);

/** What no longer stands in the way of a claim: what its owner gave up, and what a former owner lost or held long enough. */
function isOverFor({ hostname, owner_id }: Pick<DomainRecord, "hostname" | "owner_id">, now: number): SQL | undefined {
  const isOwn = eq(customDomains.owner_id, owner_id);
  const isReleased = and(isNull(customDomains.status_page_id), or(isOwn, lte(customDomains.held_until, now)));
  const isLost = and(isLapsed, or(isOwn, sql`${customDomains.proven_at} IS NOT NULL`));
  return and(eq(customDomains.hostname, hostname), or(isReleased, isLost));
}

/** Deletes these claims, and takes the name from their pages. */
function endClaims(db: Db, ended: SQL | undefined): Statement[] {
  return [
    db
      .update(statusPages)
      .set({ custom_domain: null })
      .where(
        sql`${statusPages.id} IN (SELECT ${customDomains.status_page_id} FROM ${customDomains}
          WHERE ${ended} AND ${customDomains.status_page_id} IS NOT NULL)`,
      ),
    db.delete(customDomains).where(ended),
  ];
}

/** Makes the batch fail where the account claims the name already, or another one has proven it or still holds it. */
export function claimDomain(db: Db, claim: DomainRecord): Statement[] {
  const { hostname, owner_id } = claim;
  const isTaken = sql`EXISTS (SELECT 1 FROM ${customDomains} WHERE ${customDomains.hostname} = ${hostname}
    AND (${customDomains.owner_id} = ${owner_id} OR ${customDomains.proven_at} IS NOT NULL))`;
  return [
    ...endClaims(db, isOverFor(claim, claim.claimed_at)),
    failBatchWhen(db, "custom_domain", isTaken),
    db.insert(customDomains).values(claim),
  ];
}

/** For a claim that is proven now: former ones of others end. One that is still good breaks the batch. */
export function endFormerClaims(db: Db, claim: DomainRecord, now: number): Statement[] {
  return endClaims(db, and(isOverFor(claim, now), ne(customDomains.proof, claim.proof)));
}

/** Asks for the records again at once; a claim that ended unproven begins anew. */
export function renewClaim(db: Db, page_id: string, { ssl_type, now }: { ssl_type: SslType; now: number }): Statement {
  const isEnded = sql`${customDomains.status} = 'error' AND ${customDomains.proven_at} IS NULL`;
  return db
    .update(customDomains)
    .set({
      ssl_type,
      next_check_at: now,
      updated_at: now,
      claimed_at: sql`CASE WHEN ${isEnded} THEN ${now} ELSE ${customDomains.claimed_at} END`,
      error: sql`CASE WHEN ${isEnded} THEN NULL ELSE ${customDomains.error} END`,
      status: sql`CASE WHEN ${isEnded} THEN 'pending' ELSE ${customDomains.status} END`,
    })
    .where(eq(customDomains.status_page_id, page_id));
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

/** Updates a claim as it was read, unless the domain belongs to another account by now. */
export function updateClaim(db: Db, claim: DomainRecord, change: DomainChange): Statement {
  return db.update(customDomains).set(change).where(isStill(claim));
}

function isStill({ proof, status_page_id }: DomainRecord): SQL | undefined {
  return and(
    eq(customDomains.proof, proof),
    status_page_id === null ? isNull(customDomains.status_page_id) : eq(customDomains.status_page_id, status_page_id),
  );
}

export function deleteDomain(db: Db, { proof }: Pick<DomainRecord, "proof">): Statement {
  return db.delete(customDomains).where(and(eq(customDomains.proof, proof), isNull(customDomains.status_page_id)));
}
