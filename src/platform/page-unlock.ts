import { createHmac } from "node:crypto";
import { HOUR_MS } from "../lib/durations.ts";
import { isProof, type Proof, prove, rootKeysOf } from "./root-keys.ts";

/**
 * The cookie of a visitor who entered a page's password. It is a proof of the page, its password and an end, so nothing is
 * stored, and a change of the password ends every cookie of the page.
 */
const UNLOCKED_MS = 12 * HOUR_MS;
const COOKIE = /^(\d{13})\.([\w-]{43})$/;

export interface PageLock {
  page_id: string;
  /** Identifies the password; see lockOf. */
  lock: string;
}

/** Another one for every password that a page gets, even the same again, and every root key; says nothing about the password. */
export function lockOf(rootSecret: string, passwordHash: string): string {
  return createHmac("sha256", `page lock ${rootKeysOf(rootSecret).current.secret}`)
    .update(passwordHash)
    .digest("base64url");
}

/** The cookie that unlocks a page from now on. */
export function unlockCookie(
  rootSecret: string,
  { page, now, isSecure }: { page: PageLock; now: number; isSecure: boolean },
): { header: string; expires_at: number } {
  const expires_at = now + UNLOCKED_MS;
  const value = `${expires_at}.${prove(rootSecret, proofOf(page, expires_at))}`;
  // Badges and the embedded state have addresses outside of the page's own.
  const scope = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${UNLOCKED_MS / 1000}${isSecure ? "; Secure" : ""}`;
  return { header: `${nameOf(page.page_id, isSecure)}=${value}; ${scope}`, expires_at };
}

export function isUnlocked(
  rootSecret: string,
  { page, now, cookies }: { page: PageLock; now: number; cookies: string | null },
): boolean {
  const names = [true, false].map((isSecure) => nameOf(page.page_id, isSecure));
  const sent = (cookies ?? "").split(";").map((pair) => pair.trim().split("=", 2));
  return sent.some(([name = "", value = ""]) => {
    const [, end, mac] = COOKIE.exec(value) ?? [];
    if (!names.includes(name) || mac === undefined || Number(end) <= now) return false;
    return isProof(rootSecret, mac, proofOf(page, Number(end)));
  });
}

/** Browsers take the prefix over https only, where it keeps sibling hosts from planting a cookie of their own. */
function nameOf(pageId: string, isSecure: boolean): string {
  return `${isSecure ? "__Host-" : ""}vigil_page_${pageId}`;
}

function proofOf({ page_id, lock }: PageLock, expiresAt: number): Proof {
  return { purpose: "page unlock", text: JSON.stringify([page_id, lock, expiresAt]), length: 43 };
}
