import { MINUTE_MS } from "../lib/durations.ts";
import { isProof, type Proof, prove } from "./root-keys.ts";

/**
 * The secret of an acknowledge link: what it acknowledges, when it was sent and to which account, and a proof that the
 * service made it. Nothing is stored.
 */
export interface AcknowledgeLink {
  /** Of an escalation or an incident. */
  id: string;
  /** Epoch ms, in whole minutes. */
  sent_at: number;
  /** The account that it was sent to; null for a channel or contact. */
  user_id: string | null;
}

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const TOKEN = new RegExp(`^(${UUID})\\.([0-9a-z]{1,8})\\.(${UUID}|0)\\.([\\w-]{32})$`);

export function acknowledgeToken(rootSecret: string, { id, sent_at, user_id }: AcknowledgeLink): string {
  const named = `${id}.${minuteOf(sent_at)}.${user_id ?? "0"}`;
  return `${named}.${prove(rootSecret, proofOf(named, 32))}`;
}

/** What a genuine token names; null for every other text. */
export function parseAcknowledgeToken(rootSecret: string, token: string): AcknowledgeLink | null {
  const [, id, minute, user, mac] = TOKEN.exec(token) ?? [];
  if (id === undefined || minute === undefined || user === undefined || mac === undefined) return null;
  if (!isProof(rootSecret, mac, proofOf(`${id}.${minute}.${user}`, 32))) return null;
  return { id, sent_at: sentAt(minute), user_id: user === "0" ? null : user };
}

/** The same for buttons of chats, whose data has at most 64 characters (Telegram). */
const BUTTON = /^ack:([0-9a-f]{32})\.([0-9a-z]{1,6})\.([\w-]{20})$/;

export function acknowledgeButton(rootSecret: string, { id, sent_at }: Omit<AcknowledgeLink, "user_id">): string {
  const minute = minuteOf(sent_at);
  return `ack:${id.replaceAll("-", "")}.${minute}.${prove(rootSecret, proofOf(`${id}.${minute}`, 20))}`;
}

export function parseAcknowledgeButton(rootSecret: string, data: string): AcknowledgeLink | null {
  const [, hex, minute, mac] = BUTTON.exec(data) ?? [];
  if (hex === undefined || minute === undefined || mac === undefined) return null;
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  if (!isProof(rootSecret, mac, proofOf(`${id}.${minute}`, 20))) return null;
  return { id, sent_at: sentAt(minute), user_id: null };
}

const minuteOf = (instant: number) => Math.floor(instant / MINUTE_MS).toString(36);
const sentAt = (minute: string) => Number.parseInt(minute, 36) * MINUTE_MS;

function proofOf(text: string, length: number): Proof {
  return { purpose: "acknowledge link", text, length };
}
