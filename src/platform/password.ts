import { createHmac, randomBytes, scryptSync, timingSafeEqual } from "node:crypto";
import { findRootKey, type RootKey, rootKeysOf } from "./root-keys.ts";
import type { Settings } from "./settings.ts";

/**
 * Passwords are stored as a PHC string of scrypt over an HMAC under the operator's root secret, so that a stolen database
 * alone cannot be guessed at; `k` names the root key where it is not key 1. One hash of the default cost takes 16 MiB and
 * about 0.15 s; it is computed synchronously, so that an isolate never has two of them in memory at once.
 */
type PasswordSettings = Pick<Settings, "ROOT_SECRET" | "PASSWORD_COST"> & Partial<Pick<Settings, "PLAN">>;

const BLOCK_SIZE = 8;
const PARALLELIZATION = 5;
const SALT_BYTES = 16;
const KEY_BYTES = 32;
/** Upper bounds for the parameters of a stored hash. */
const COST_MAX = { ln: 15, r: 8, p: 8 };
const PHC =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})(?:,k=(\d{1,3}))?\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

/**
 * Two milliseconds of the ten that an invocation has on the Workers Free plan. Choice: what guards a stolen database is the
 * HMAC under the root secret, without which not even the password 1234 can be recognised by its hash; the cost of the
 * hash only slows down who has stolen both. PBKDF2 of WebCrypto counts as CPU all the same, and needs 13 ms for 100,000
 * rounds.
 */
const FREE_COST: Cost = { ln: 10, r: BLOCK_SIZE, p: 1 };

/** The parameters of scrypt; `ln` is the exponent of its N. */
interface Cost {
  ln: number;
  r: number;
  p: number;
}

export function hashPassword(settings: PasswordSettings, password: string): string {
  const salt = randomBytes(SALT_BYTES);
  const { current } = rootKeysOf(settings.ROOT_SECRET);
  const cost = currentCost(settings);
  const key = derive(current.secret, { password, salt }, cost);
  return `${formOf(cost, current)}${toText(salt)}$${toText(key)}`;
}

/** What stored hashes begin with that the current root key and cost made. */
export function currentHashPrefix(settings: PasswordSettings): string {
  return formOf(currentCost(settings), rootKeysOf(settings.ROOT_SECRET).current);
}

function currentCost({ PASSWORD_COST, PLAN }: PasswordSettings): Cost {
  if (PLAN === "free") return FREE_COST;
  return { ln: PASSWORD_COST, r: BLOCK_SIZE, p: PARALLELIZATION };
}

function formOf({ ln, r, p }: Cost, { id }: Pick<RootKey, "id">): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}${id === 1 ? "" : `,k=${id}`}$`;
}

/** Takes as long without a stored hash as with one, so that timing does not reveal who has an account. */
export function isPassword(settings: PasswordSettings, password: string, stored: string | null): boolean {
  const isComputable = stored !== null && !isTooCostly(settings, stored);
  const parsed = parse(isComputable ? stored : hashOfNoPassword(settings));
  if (!parsed) return false;
  const rootKey = findRootKey(settings.ROOT_SECRET, parsed.keyId);
  const { secret } = rootKey ?? rootKeysOf(settings.ROOT_SECRET).current;
  const key = derive(secret, { password, salt: parsed.salt }, parsed.cost);
  return timingSafeEqual(key, parsed.key) && isComputable && rootKey !== undefined;
}

/** Whether an invocation of the Workers Free plan would end before the hash is computed: one that was stored elsewhere. */
export function isTooCostly({ PLAN }: PasswordSettings, stored: string): boolean {
  const cost = parse(stored)?.cost;
  return (
    PLAN === "free" &&
    cost !== undefined &&
    2 ** cost.ln * cost.r * cost.p > 2 ** FREE_COST.ln * FREE_COST.r * FREE_COST.p
  );
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

function hashOfNoPassword(settings: PasswordSettings): string {
  return `${formOf(currentCost(settings), { id: 1 })}${"A".repeat(22)}$${"A".repeat(43)}`;
}
