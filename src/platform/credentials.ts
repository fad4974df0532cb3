import { createHash } from "node:crypto";
import { canonicalAddress } from "../lib/mailbox.ts";

/**
 * API tokens: `sk_svc_`, 43 characters of randomness (256 bits) and 6 characters of checksum. The checksum lets text that
 * was never a token be refused without a database read; it proves nothing, only the stored hash does.
 */
const API_TOKEN_MARK = "sk_svc_";
const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const API_TOKEN = new RegExp(`^${API_TOKEN_MARK}([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

/** As many leading characters of a token are stored readable, so that people can tell their tokens apart. */
const TOKEN_PREFIX_LENGTH = 12;

export function newApiToken(): string {
  const random = randomBase62(RANDOM_LENGTH);
  return API_TOKEN_MARK + random + checksum(random);
}

export function isWellFormedApiToken(text: string): boolean {
  const [, random, sum] = API_TOKEN.exec(text) ?? [];
  return random !== undefined && checksum(random) === sum;
}

/** Credentials of machines: 43 characters of randomness behind a mark that says what they open. */
const MACHINE_MARKS = { agent: "ag_", install: "agi_", metrics: "mt_", calendar: "cal_", wall: "wall_" } as const;
export type MachineCredential = keyof typeof MACHINE_MARKS;

export function newMachineToken(kind: MachineCredential): string {
  return MACHINE_MARKS[kind] + randomBase62(RANDOM_LENGTH);
}

/** Links a chat channel; short enough for a link to a Telegram bot (64 characters). */
export function newLinkToken(): string {
  return randomBase62(RANDOM_LENGTH);
}

/** By which senders of heartbeats name the monitors of a page; as long as those of Healthchecks. */
export function newPingKey(): string {
  return randomBase62(22);
}

/** For receivers that verify deliveries: the form of Standard Webhooks, with 256 bits. */
export function newWebhookSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
}

export function isWellFormedMachineToken(kind: MachineCredential, text: string): boolean {
  const random = text.slice(MACHINE_MARKS[kind].length);
  return text.startsWith(MACHINE_MARKS[kind]) && random.length === RANDOM_LENGTH && /^[0-9A-Za-z]+$/.test(random);
}

export function tokenPrefix(token: string): string {
  return token.slice(0, TOKEN_PREFIX_LENGTH);
}

/** How credentials are stored: their randomness makes a salt and a slow hash pointless. */
export function sha256Hex(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("hex");
}

/** As a content security policy names a text. */
export function sha256Base64(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

/** Names the reader of an address without naming the address. */
export function recipientHash(address: string): string {
  return sha256Hex(canonicalAddress(address));
}

export function randomBase62(length: number): string {
  const unbiased = 256 - (256 % BASE62.length);
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length - text.length))) {
      if (byte < unbiased) text += BASE62.charAt(byte % BASE62.length);
    }
  }
  return text;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let sum = "";
  for (let position = 0; position < CHECKSUM_LENGTH; position++) {
    sum = BASE62.charAt(rest % BASE62.length) + sum;
    rest = Math.floor(rest / BASE62.length);
  }
  return sum;
}

/** CRC-32 as in zlib and PNG, bit by bit: a table would not pay for 43 characters. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
