import { DAY_MS, HOUR_MS, MINUTE_MS } from "../lib/durations.ts";
/** What is known of a page's claim to a host name, and what its zone says now. */
export interface DomainClaim {
  status: "pending" | "active" | "error";
  claimed_at: number;
  proven_at: number | null;
  lost_since: number | null;
  aimed_at: number | null;
  astray_since: number | null;
}

/** `unknown`: no resolver answered, which says nothing about the name. */
export type RecordLookup = "seen" | "missing" | "unknown";

export interface DomainLookup {
  /** The TXT record: it says whose the name is, and alone decides whether the page may be served there. */
  ownership: RecordLookup;
  /** The CNAME record, or the same addresses: whether visitors of the name come here. */
  routing: RecordLookup;
}

export interface ClaimDecision {
  status: DomainClaim["status"];
  error: string | null;
  proven_at: number | null;
  lost_since: number | null;
  aimed_at: number | null;
  astray_since: number | null;
  next_check_at: number;
}

/** How long an unverified claim may keep other accounts from the name. */
export const PROVE_WITHIN_MS = 72 * HOUR_MS;
/** An unverified claim whose name servers never answer ends after this. */
export const SILENT_FOR_MS = 7 * DAY_MS;
export const LOST_AFTER_MS = 72 * HOUR_MS;
/** How long a proven name that was given up is kept from other accounts. */
export const RESERVED_MS = 7 * DAY_MS;
const NEVER_MS = 36_500 * DAY_MS;

/**
 * A claim is active once its proof was seen, so that a page is ready before its name is turned to it. Of an active one the
 * proof, or a way here that once was there, may be missing for 72 hours; it is back as soon as both are.
 */
export function decideClaim(claim: DomainClaim, seen: DomainLookup, now: number): ClaimDecision {
  const found = {
    proven_at: seen.ownership === "seen" ? now : claim.proven_at,
    aimed_at: seen.routing === "seen" ? now : claim.aimed_at,
    lost_since: since(claim.lost_since, seen.ownership, claim.status === "active", now),
    astray_since: since(claim.astray_since, seen.routing, claim.status !== "pending" && claim.aimed_at !== null, now),
  };
  const status = decideStatus({ ...claim, ...found }, seen.ownership, now);
  return {
    status,
    error: describe({ ...claim, ...found, status }, seen, now),
    ...found,
    next_check_at: now + waitOf({ ...claim, ...found, status }, seen, now),
  };
}

/** When something that counts went missing. */
function since(earlier: number | null, sighting: RecordLookup, counts: boolean, now: number): number | null {
  if (sighting === "seen") return null;
  return earlier ?? (sighting === "missing" && counts ? now : null);
}

function decideStatus(claim: DomainClaim, proof: RecordLookup, now: number): DomainClaim["status"] {
  if (claim.status === "active") return isGone(claim, now) ? "error" : "active";
  if (proof === "seen" && !isGone(claim, now)) return "active";
  const patience = proof === "missing" ? PROVE_WITHIN_MS : SILENT_FOR_MS;
  const isTooLate = now - claim.claimed_at >= patience;
  return claim.status === "pending" && isTooLate ? "error" : claim.status;
}

function isGone({ lost_since, astray_since }: DomainClaim, now: number): boolean {
  return [lost_since, astray_since].some((at) => at !== null && now - at >= LOST_AFTER_MS);
}

/** Which records are not as they should be. */
function describe(claim: DomainClaim, { ownership, routing }: DomainLookup, now: number): string | null {
  const missing = [...(ownership === "missing" ? ["TXT"] : []), ...(routing === "missing" ? ["CNAME"] : [])];
  if (missing.length === 0) {
    if (ownership === "seen" && routing === "seen") return null;
    if (claim.status === "pending") return "no DNS resolver is reachable";
    return claim.status === "error" ? "the records are missing" : null;
  }
  const [records, is, has] = [
    `the ${missing.join(" and ")} record${missing.length > 1 ? "s" : ""}`,
    missing.length > 1 ? "are" : "is",
    missing.length > 1 ? "have" : "has",
  ];
  if (isGone(claim, now)) return `${records} ${has} been missing for 72 hours`;
  if (claim.status === "error" && claim.proven_at === null)
    return `${records} ${is} missing: not verified within 72 hours`;
  const wasThere = ownership === "missing" ? claim.proven_at !== null : claim.aimed_at !== null;
  return wasThere ? `${records} ${is} missing` : `${records} ${is} not there yet`;
}

/**
 * Every minute or so while a user waits, every hour while records are missing, every day otherwise; a claim that ended
 * without proof is not looked up any more, until the domain is set again.
 */
function waitOf(claim: DomainClaim, { ownership, routing }: DomainLookup, now: number): number {
  if (claim.status === "error" && claim.proven_at === null) return NEVER_MS;
  if (ownership === "unknown") return claim.proven_at === null ? nextCheckDelay(now - claim.claimed_at) : MINUTE_MS;
  if (claim.status === "error" || claim.lost_since !== null || claim.astray_since !== null) return HOUR_MS;
  const age = now - claim.claimed_at;
  if (claim.status === "pending") return nextCheckDelay(age);
  return routing === "seen" || age >= PROVE_WITHIN_MS ? DAY_MS : nextCheckDelay(age);
}

/** Every minute at first, ever more rarely then, every hour at last. */
export function nextCheckDelay(ageMs: number): number {
  return Math.min(Math.max(MINUTE_MS, Math.floor(ageMs / 10)), HOUR_MS);
}
