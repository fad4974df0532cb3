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

/** The same for buttons of chats, whose data has at most 64 characters (Telegram). */
const BUTTON_MAC_LENGTH = 24;
const BUTTON = /^ack:([0-9a-f]{32})\.([\w-]{24})$/;

export function acknowledgeButton(rootSecret: string, escalationId: string): string {
  const mac = macOf(rootSecret, escalationId).slice(0, BUTTON_MAC_LENGTH);
  return `ack:${escalationId.replaceAll("-", "")}.${mac}`;
}

export function parseAcknowledgeButton(rootSecret: string, data: string): string | null {
  const [, hex, mac] = BUTTON.exec(data) ?? [];
  if (hex === undefined || mac === undefined) return null;
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  const expected = macOf(rootSecret, id).slice(0, BUTTON_MAC_LENGTH);
  return timingSafeEqual(Buffer.from(mac), Buffer.from(expected)) ? id : null;
}
