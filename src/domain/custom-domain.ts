/** What is known of a page's claim to a host name, and what its zone says now. */
export interface Claim {
  status: "pending" | "active" | "error";
  claimed_at: number;
  proven_at: number | null;
  lost_since: number | null;
}

/** `unknown`: no resolver answered, which says nothing about the name. */
export type Proof = "seen" | "missing" | "unknown";

export interface ClaimVerdict {
  status: Claim["status"];
  error: string | null;
  proven_at: number | null;
  lost_since: number | null;
  next_check_at: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
export const PROVE_WITHIN_MS = 7 * DAY_MS;
export const LOST_AFTER_MS = 72 * HOUR_MS;
/** How long a proven name that was given up is kept from other accounts. */
export const HELD_MS = 7 * DAY_MS;

/** A claim is active while its proof is seen; of an active one it may be missing for 72 hours. */
export function judgeClaim(claim: Claim, proof: Proof, now: number): ClaimVerdict {
  const { status, proven_at, lost_since } = claim;
  if (proof === "unknown") {
    return { status, error: null, proven_at, lost_since, next_check_at: now + MINUTE_MS };
  }
  if (proof === "seen") {
    return { status: "active", error: null, proven_at: now, lost_since: null, next_check_at: now + DAY_MS };
  }
  if (status === "active") {
    const since = lost_since ?? now;
    const isLost = now - since >= LOST_AFTER_MS;
    const error = `the TXT record ${isLost ? "has been missing for 72 hours" : "is missing"}`;
    const next_check_at = now + HOUR_MS;
    return { status: isLost ? "error" : "active", error, proven_at, lost_since: since, next_check_at };
  }
  if (status === "error") {
    return { status, error: "the TXT record is missing", proven_at, lost_since, next_check_at: now + HOUR_MS };
  }
  const isTooLate = now - claim.claimed_at >= PROVE_WITHIN_MS;
  const error = isTooLate ? "the TXT record was not there within 7 days" : "the TXT record is not there yet";
  const next_check_at = now + nextWait(now - claim.claimed_at);
  return { status: isTooLate ? "error" : "pending", error, proven_at, lost_since, next_check_at };
}

/** Every minute at first, ever more rarely then, every hour at last. */
export function nextWait(ageMs: number): number {
  return Math.min(Math.max(MINUTE_MS, Math.floor(ageMs / 10)), HOUR_MS);
}
