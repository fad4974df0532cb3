import { createHmac, timingSafeEqual } from "node:crypto";

/** The secret of an acknowledge link: the escalation, and a proof that the service made the link. Nothing is stored. */
const MAC_LENGTH = 32;
const TOKEN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([\w-]{32})$/;

export function acknowledgeToken(rootSecret: string, escalationId: string): string {
  return `${escalationId}.${macOf(rootSecret, escalationId)}`;
}

/** The escalation that a genuine token names; null for every other text. */
export function parseAcknowledgeToken(rootSecret: string, token: string): string | null {
  const [, id, mac] = TOKEN.exec(token) ?? [];
  if (id === undefined || mac === undefined) return null;
  return timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(rootSecret, id))) ? id : null;
}

function macOf(rootSecret: string, id: string): string {
  return createHmac("sha256", `acknowledge link ${rootSecret}`).update(id).digest("base64url").slice(0, MAC_LENGTH);
}
