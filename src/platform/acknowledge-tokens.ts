import { isProof, type Proof, prove } from "./root-keys.ts";

/** The secret of an acknowledge link: the escalation, and a proof that the service made the link. Nothing is stored. */
const TOKEN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([\w-]{32})$/;

export function acknowledgeToken(rootSecret: string, escalationId: string): string {
  return `${escalationId}.${prove(rootSecret, proofOf(escalationId, 32))}`;
}

/** The escalation that a genuine token names; null for every other text. */
export function parseAcknowledgeToken(rootSecret: string, token: string): string | null {
  const [, id, mac] = TOKEN.exec(token) ?? [];
  if (id === undefined || mac === undefined) return null;
  return isProof(rootSecret, mac, proofOf(id, 32)) ? id : null;
}

/** The same for buttons of chats, whose data has at most 64 characters (Telegram). */
const BUTTON = /^ack:([0-9a-f]{32})\.([\w-]{24})$/;

export function acknowledgeButton(rootSecret: string, escalationId: string): string {
  return `ack:${escalationId.replaceAll("-", "")}.${prove(rootSecret, proofOf(escalationId, 24))}`;
}

export function parseAcknowledgeButton(rootSecret: string, data: string): string | null {
  const [, hex, mac] = BUTTON.exec(data) ?? [];
  if (hex === undefined || mac === undefined) return null;
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return isProof(rootSecret, mac, proofOf(id, 24)) ? id : null;
}

function proofOf(text: string, length: number): Proof {
  return { purpose: "acknowledge link", text, length };
}
