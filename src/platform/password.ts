import { createHmac, randomBytes, scryptSync, timingSafeEqual } from "node:crypto";
import { findRootKey, type RootKey, rootKeysOf } from "./root-keys.ts";

/**
 * Passwords are stored as a PHC string of scrypt over an HMAC under the operator's root secret, so that a stolen database
 * alone cannot be guessed at; `k` names the root key where it is not key 1. One hash takes 16 MiB and about 0.15 s; it is
 * computed synchronously, so that an isolate never has two of them in memory at once.
 */
const COST = { ln: 14, r: 8, p: 5 };
const SALT_BYTES = 16;
const KEY_BYTES = 32;
/** Upper bounds for the parameters of a stored hash. */
const COST_MAX = { ln: 15, r: 8, p: 8 };
const PHC =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})(?:,k=(\d{1,3}))?\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

type Cost = typeof COST;

export function hashPassword(rootSecret: string, password: string): string {
  const salt = randomBytes(SALT_BYTES);
  const { current } = rootKeysOf(rootSecret);
  const key = derive(current.secret, { password, salt }, COST);
  return `${formOf(current)}${toText(salt)}$${toText(key)}`;
}

/** What stored hashes begin with that the current root key and cost made. */
export function currentHashPrefix(rootSecret: string): string {
  return formOf(rootKeysOf(rootSecret).current);
}

function formOf({ id }: RootKey): string {
  return `$scrypt$ln=${COST.ln},r=${COST.r},p=${COST.p}${id === 1 ? "" : `,k=${id}`}$`;
}

/** Takes as long without a stored hash as with one, so that timing does not reveal who has an account. */
export function isPassword(rootSecret: string, password: string, stored: string | null): boolean {
  const parsed = parse(stored ?? NOBODY);
  if (!parsed) return false;
  const rootKey = findRootKey(rootSecret, parsed.keyId);
  const { secret } = rootKey ?? rootKeysOf(rootSecret).current;
  const key = derive(secret, { password, salt: parsed.salt }, parsed.cost);
  return timingSafeEqual(key, parsed.key) && stored !== null && rootKey !== undefined;
}

function parse(text: string): { cost: Cost; keyId: number; salt: Buffer; key: Buffer } | undefined {
  const [, ln, r, p, keyId = "1", salt, key] = PHC.exec(text) ?? [];
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  const isBounded =
    cost.ln >= 1 &&
    cost.ln <= COST_MAX.ln &&
    cost.r >= 1 &&
    cost.r <= COST_MAX.r &&
    cost.p >= 1 &&
    cost.p <= COST_MAX.p;
  if (salt === undefined || key === undefined || !isBounded) return undefined;
  return { cost, keyId: Number(keyId), salt: Buffer.from(salt, "base64"), key: Buffer.from(key, "base64") };
}

function derive(secret: string, input: { password: string; salt: Buffer }, { ln, r, p }: Cost): Buffer {
  // NFC, because keyboards differ in how they compose the same letter.
  const peppered = createHmac("sha256", secret)
    .update(`password:${input.password.normalize("NFC")}`)
    .digest();
  const memory = 128 * 2 ** ln * r;
  return scryptSync(peppered, input.salt, KEY_BYTES, { N: 2 ** ln, r, p, maxmem: 2 * memory });
}

function toText(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}

/** The hash of no password. */
const NOBODY = `$scrypt$ln=${COST.ln},r=${COST.r},p=${COST.p}$${"A".repeat(22)}$${"A".repeat(43)}`;
