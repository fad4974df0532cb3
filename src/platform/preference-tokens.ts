import { createHmac, timingSafeEqual } from "node:crypto";

/** The secret of a preference link: the user, and a proof that the service made the link. Nothing is stored. */
const MAC_LENGTH = 32;
const TOKEN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([\w-]{32})$/;

export function preferenceToken(rootSecret: string, userId: string): string {
  return `${userId}.${macOf(rootSecret, userId)}`;
}

/** The user that a genuine token names; null for every other text. */
export function parsePreferenceToken(rootSecret: string, token: string): string | null {
  const [, id, mac] = TOKEN.exec(token) ?? [];
  if (id === undefined || mac === undefined) return null;
  return timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(rootSecret, id))) ? id : null;
}

function macOf(rootSecret: string, id: string): string {
  return createHmac("sha256", `preference link ${rootSecret}`).update(id).digest("base64url").slice(0, MAC_LENGTH);
}
