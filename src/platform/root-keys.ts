import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Parsed } from "../lib/parse-result.ts";

/**
 * The operator's root secret is one secret, which is key 1, or several as `2:<secret>,1:<secret>`. The first one signs and
 * encrypts; what the others signed and encrypted stays valid, until the operator removes them. Ids say which key it was.
 */
export interface RootKey {
  /** 1 to 255: push tokens carry it in one byte. */
  id: number;
  secret: string;
}
export interface RootKeys {
  current: RootKey;
  /** The current one first. */
  all: readonly RootKey[];
}

const SECRET_LENGTH_MIN = 32;
const ID_MAX = 255;
/** A secret that an operator chose may contain commas. */
const BETWEEN = /,(?=\d{1,3}:)/;
const WITH_ID = /^(\d{1,3}):(.*)$/s;

export function parseRootKeys(text: string): Parsed<RootKeys> {
  const parts = WITH_ID.test(text) ? text.split(BETWEEN) : [`1:${text}`];
  const all: RootKey[] = [];
  for (const part of parts) {
    const [, digits, secret = ""] = WITH_ID.exec(part) ?? [];
    const id = Number(digits);
    if (!(id >= 1 && id <= ID_MAX)) return { ok: false, reason: `keys are number:secret with numbers up to ${ID_MAX}` };
    if (all.some((key) => key.id === id)) return { ok: false, reason: `key ${id} is given twice` };
    if (secret.length < SECRET_LENGTH_MIN) {
      return { ok: false, reason: `ROOT_SECRET must have at least ${SECRET_LENGTH_MIN} characters` };
    }
    all.push({ id, secret });
  }
  const [current] = all;
  if (!current) return { ok: false, reason: "ROOT_SECRET is empty" };
  return { ok: true, value: { current, all } };
}

export function formatRootKeys(keys: readonly RootKey[]): string {
  return keys.map(({ id, secret }) => `${id}:${secret}`).join(",");
}

const known = new Map<string, RootKeys>();

/** Throws for a text that settings would have refused. */
export function rootKeysOf(rootSecret: string): RootKeys {
  const before = known.get(rootSecret);
  if (before) return before;
  const parsed = parseRootKeys(rootSecret);
  if (!parsed.ok) throw new Error(parsed.reason);
  known.set(rootSecret, parsed.value);
  return parsed.value;
}

export function findRootKey(rootSecret: string, id: number): RootKey | undefined {
  return rootKeysOf(rootSecret).all.find((key) => key.id === id);
}

/** A proof that the service made a link or cookie: `purpose` keeps the proofs of one kind from being those of another. */
export interface Proof {
  purpose: string;
  text: string;
  length: number;
}

export function prove(rootSecret: string, proof: Proof): string {
  return proveUnder(rootKeysOf(rootSecret).current, proof);
}

/** Whether it was made under the current key or one before it. */
export function isProof(rootSecret: string, given: string, proof: Proof): boolean {
  const bytes = Buffer.from(given);
  // Every key is tried, so that the time taken says nothing about the key.
  const matches = rootKeysOf(rootSecret).all.filter((key) => {
    const expected = Buffer.from(proveUnder(key, proof));
    return bytes.length === expected.length && timingSafeEqual(bytes, expected);
  });
  return matches.length > 0;
}

/** Bodies may hold passwords, which a hash without a secret would not hide. Under the current key first. */
export function bodyHashes(rootSecret: string, body: string): [string, ...string[]] {
  const { current, all } = rootKeysOf(rootSecret);
  const hashUnder = ({ secret }: RootKey) => createHash("sha256").update(`${secret}:${body}`).digest("hex");
  return [hashUnder(current), ...all.slice(1).map(hashUnder)];
}

function proveUnder({ secret }: RootKey, { purpose, text, length }: Proof): string {
  return createHmac("sha256", `${purpose} ${secret}`).update(text).digest("base64url").slice(0, length);
}
