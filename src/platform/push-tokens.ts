import { createHmac, timingSafeEqual } from "node:crypto";
import { type RootKey, rootKeysOf } from "./root-keys.ts";

/**
 * Credentials of one monitor's pushes: `hb_` for heartbeats, `pk_` for metrics, then base62 of
 * monitor id (16 bytes) ‖ credential version (4) ‖ root key (1) ‖ MAC (16). The MAC, under a key derived from that root
 * key, rejects junk without any storage access, and the token can be minted again for users who may see it. The monitor's
 * object knows the present version and root key, so that a token of an earlier root key is good until it is replaced.
 */
const MARKS = { beat: "hb_", metrics: "pk_" } as const;
export type PushPurpose = keyof typeof MARKS;

export interface PushCredential {
  monitor_id: string;
  credential_version: number;
  /** Id of the root key that signs it. */
  credential_key: number;
}

const HEADER_BYTES = 16 + 4 + 1;
const MAC_BYTES = 16;
const TOKEN_BYTES = HEADER_BYTES + MAC_BYTES;
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS = 50;
const SPACE = 256n ** BigInt(TOKEN_BYTES);
const DIGIT_VALUES = new Map([...BASE62].map((digit, value) => [digit, value]));
/** Computed as one number, which is far quicker than one large number a digit. */
const GROUP = 5;
const GROUP_SPACE = 62n ** BigInt(GROUP);

/** Jobs send the same token again and again, and verifying it is the most expensive step before the object. */
const READ_MAX = 10_000;

interface Signer {
  /** Of the root key. */
  id: number;
  key: Buffer;
  /** Tokens that turned out to be ours. */
  read: Map<string, PushCredential>;
}
type Signers = readonly [current: Signer, ...earlier: Signer[]];
const signersBySecret = new Map<string, Signers>();

/** One for each root key. */
function signersOf(rootSecret: string): Signers {
  const before = signersBySecret.get(rootSecret);
  if (before) return before;
  const { current, all } = rootKeysOf(rootSecret);
  const signers: Signers = [signerOf(current), ...all.slice(1).map(signerOf)];
  signersBySecret.set(rootSecret, signers);
  return signers;
}

function signerOf({ id, secret }: RootKey): Signer {
  return { id, key: createHmac("sha256", secret).update("push tokens v1").digest(), read: new Map() };
}

/** Under the current root key where the credential's own was removed: the sweep is about to write that one. */
export function mintPushToken(rootSecret: string, purpose: PushPurpose, credential: PushCredential): string {
  const signers = signersOf(rootSecret);
  const { id, key } = signers.find((signer) => signer.id === credential.credential_key) ?? signers[0];
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(credential.monitor_id.replaceAll("-", ""), "hex");
  header.writeUInt32BE(credential.credential_version, 16);
  header.writeUInt8(id, 20);
  return MARKS[purpose] + toBase62(Buffer.concat([header, macOf(key, purpose, header)]));
}

/** What a token names; undefined for anything that was not minted here for this purpose. */
export function readPushToken(rootSecret: string, purpose: PushPurpose, text: string): PushCredential | undefined {
  if (!text.startsWith(MARKS[purpose])) return undefined;
  const signers = signersOf(rootSecret);
  for (const { read } of signers) {
    const known = read.get(text);
    if (known) return known;
  }
  const bytes = fromBase62(text.slice(MARKS[purpose].length));
  const signer = signers.find(({ id }) => id === bytes?.readUInt8(HEADER_BYTES - 1));
  if (!bytes || !signer) return undefined;
  const credential = verify(signer.key, purpose, bytes);
  if (credential) {
    if (signer.read.size >= READ_MAX) signer.read.clear();
    signer.read.set(text, credential);
  }
  return credential;
}

function verify(key: Buffer, purpose: PushPurpose, bytes: Buffer): PushCredential | undefined {
  const header = bytes.subarray(0, HEADER_BYTES);
  if (!timingSafeEqual(macOf(key, purpose, header), bytes.subarray(HEADER_BYTES))) return undefined;
  const hex = header.toString("hex", 0, 16);
  const monitor_id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
  return { monitor_id, credential_version: header.readUInt32BE(16), credential_key: header.readUInt8(20) };
}

function macOf(key: Buffer, purpose: PushPurpose, header: Buffer): Buffer {
  return createHmac("sha256", key).update(purpose).update(header).digest().subarray(0, MAC_BYTES);
}

/** One length for every token, so that each has one form only. */
function toBase62(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString("hex")}`);
  let text = "";
  for (let n = 0; n < DIGITS; n += GROUP) {
    let group = Number(rest % GROUP_SPACE);
    rest /= GROUP_SPACE;
    for (let digit = 0; digit < GROUP; digit++) {
      text = BASE62.charAt(group % 62) + text;
      group = Math.floor(group / 62);
    }
  }
  return text;
}

function fromBase62(text: string): Buffer | undefined {
  if (text.length !== DIGITS) return undefined;
  let value = 0n;
  for (let n = 0; n < DIGITS; n += GROUP) {
    let group = 0;
    for (const digit of text.slice(n, n + GROUP)) group = group * 62 + (DIGIT_VALUES.get(digit) ?? Number.NaN);
    if (Number.isNaN(group)) return undefined;
    value = value * GROUP_SPACE + BigInt(group);
  }
  if (value >= SPACE) return undefined;
  return Buffer.from(value.toString(16).padStart(2 * TOKEN_BYTES, "0"), "hex");
}
