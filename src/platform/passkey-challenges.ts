import { randomBytes } from "node:crypto";
import { MINUTE_MS } from "../lib/durations.ts";
import { isProof, type Proof, prove } from "./root-keys.ts";

/**
 * What a passkey signs. A challenge is made for one purpose and one caller, which its proof covers, so that asking for one
 * stores nothing; what was answered is stored until it expires.
 */
export interface ChallengeUse {
  purpose: "sign_in" | "confirm" | "register";
  /** Whose answer counts: the browser, or the account with the credential that it acts by. */
  caller: string;
}

export const CHALLENGE_MS = 5 * MINUTE_MS;
const FORM = /^([\w-]{22})\.(\d{1,15})\.([\w-]{32})$/;

/** As base64url, in which browsers take it. */
export function createChallenge(rootSecret: string, use: ChallengeUse, now: number): string {
  const [name, expires_at] = [randomBytes(16).toString("base64url"), now + CHALLENGE_MS];
  const proof = prove(rootSecret, proofOf(use, { name, expires_at }));
  return Buffer.from(`${name}.${expires_at}.${proof}`).toString("base64url");
}

/** When a challenge of this use expires; null for any other text, and for one that is over. */
export function openChallenge(rootSecret: string, use: ChallengeUse, challenge: string, now: number): number | null {
  const [, name, digits, mac] = FORM.exec(Buffer.from(challenge, "base64url").toString("latin1")) ?? [];
  if (name === undefined || digits === undefined || mac === undefined) return null;
  const expires_at = Number(digits);
  return isProof(rootSecret, mac, proofOf(use, { name, expires_at })) && expires_at > now ? expires_at : null;
}

function proofOf({ purpose, caller }: ChallengeUse, { name, expires_at }: { name: string; expires_at: number }): Proof {
  return { purpose: "passkey challenge", text: JSON.stringify([purpose, caller, name, expires_at]), length: 32 };
}
