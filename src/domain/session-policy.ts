import type { SecondFactorRule } from "../contract/session-policy.ts";

/** What the operators ask of every session. */
export interface SessionPolicy {
  session_ms: number;
  /** Without use; may lag by a minute. */
  session_idle_ms: number;
  second_factor: SecondFactorRule;
  /** From when on it is required; null = at once. */
  second_factor_from: number | null;
  /** Addresses and CIDRs; null = from anywhere. */
  allowed_networks: readonly string[] | null;
}

export function isSessionOver(
  { session_ms, session_idle_ms }: SessionPolicy,
  session: { created_at: number; last_used_at: number },
  now: number,
): boolean {
  return session.created_at <= now - session_ms || session.last_used_at <= now - session_idle_ms;
}

/**
 * From when on this session can only set a second factor up, because its person has none: an instant that may be ahead, so
 * that they are asked before; null where none is required of it.
 */
export function secondFactorDue(
  { second_factor, second_factor_from }: SessionPolicy,
  { hasFactor, isByProvider }: { hasFactor: boolean; isByProvider: boolean },
): number | null {
  if (hasFactor || second_factor === "optional") return null;
  if (isByProvider && second_factor === "passwords") return null;
  return second_factor_from ?? 0;
}
