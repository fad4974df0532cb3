import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import {
  buildRecoveryCodes,
  decodeBase32,
  encodeBase32,
  encodeCounter,
  listAcceptedSteps,
  RECOVERY_BYTES,
  TOTP_SECRET_BYTES,
  truncateMac,
} from "../domain/totp.ts";

/** A new secret in base32; it is stored sealed, because codes cannot be checked by a hash of it. */
export function createTotpSecret(): string {
  return encodeBase32(randomBytes(TOTP_SECRET_BYTES));
}

/**
 * The step that a code is of, undefined for a wrong, outdated or used one. The caller stores the step where the stored one
 * is smaller, in one statement: of two requests with one code only one then succeeds.
 */
export function findTotpStep(
  secret: string,
  code: string,
  { now, last_used_step }: { now: number; last_used_step: number | null },
): number | undefined {
  const key = decodeBase32(secret);
  if (key === undefined) throw new Error("the stored TOTP secret is no base32");
  // All steps are compared, so that the time taken says nothing about the step.
  return listAcceptedSteps(now, last_used_step)
    .filter((step) => isEqual(computeTotpCode(key, step), code))
    .at(0);
}

export function computeTotpCode(key: Uint8Array, step: number, digits?: number): string {
  return truncateMac(createHmac("sha1", key).update(encodeCounter(step)).digest(), digits);
}

function isEqual(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Ten new codes; they are shown once, and only their hashes are stored. */
export function createRecoveryCodes(): string[] {
  return buildRecoveryCodes(randomBytes(RECOVERY_BYTES));
}

/** Codes have 80 random bits, so that a plain hash cannot be reversed; equal codes of two users have unequal hashes. */
export function hashRecoveryCode(code: string, { user_id }: { user_id: string }): string {
  return createHash("sha256").update(`recovery-code:${user_id}:${code}`).digest("hex");
}
