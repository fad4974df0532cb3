import { ascii, concat, uint, vector } from "./bytes.ts";

/** From a shared secret to the keys of both directions (RFC 8446, section 7), by HMAC alone. */

export interface CipherSuite {
  hash: "SHA-256" | "SHA-384";
  hash_length: number;
  key_length: number;
}

export const CIPHER_SUITES: ReadonlyMap<number, CipherSuite> = new Map<number, CipherSuite>([
  [0x1301, { hash: "SHA-256", hash_length: 32, key_length: 16 }],
  [0x1302, { hash: "SHA-384", hash_length: 48, key_length: 32 }],
]);

/** `next` is what the secrets of the following stage come from. */
export interface StageSecrets {
  client: Uint8Array;
  server: Uint8Array;
  next: Uint8Array;
}

export interface TrafficKey {
  key: CryptoKey;
  iv: Uint8Array;
}

const IV_LENGTH = 12;

/** `transcript` runs from ClientHello to ServerHello. */
export async function handshakeSecrets(suite: CipherSuite, shared: Uint8Array, transcript: Uint8Array) {
  const early = await hmac(suite, zeros(suite), zeros(suite));
  const stage = await hmac(suite, await derived(suite, early), shared);
  return stageSecrets(suite, stage, "hs", await digest(suite, transcript));
}

/** `transcript` runs from ClientHello to the server's Finished. */
export async function applicationSecrets(suite: CipherSuite, handshake: StageSecrets, transcript: Uint8Array) {
  const stage = await hmac(suite, handshake.next, zeros(suite));
  return stageSecrets(suite, stage, "ap", await digest(suite, transcript));
}

export async function trafficKey(suite: CipherSuite, secret: Uint8Array): Promise<TrafficKey> {
  const raw = await expandLabel(suite, secret, "key", new Uint8Array(), suite.key_length);
  const key = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"]);
  return { key, iv: await expandLabel(suite, secret, "iv", new Uint8Array(), IV_LENGTH) };
}

/** The content of a Finished message of the side that owns the secret. */
export async function finishedMac(suite: CipherSuite, secret: Uint8Array, transcript: Uint8Array): Promise<Uint8Array> {
  const key = await expandLabel(suite, secret, "finished", new Uint8Array(), suite.hash_length);
  return hmac(suite, key, await digest(suite, transcript));
}

async function stageSecrets(
  suite: CipherSuite,
  stage: Uint8Array,
  name: "hs" | "ap",
  transcriptHash: Uint8Array,
): Promise<StageSecrets> {
  const secret = (side: string) =>
    expandLabel(suite, stage, `${side} ${name} traffic`, transcriptHash, suite.hash_length);
  return { client: await secret("c"), server: await secret("s"), next: await derived(suite, stage) };
}

async function derived(suite: CipherSuite, secret: Uint8Array): Promise<Uint8Array> {
  return expandLabel(suite, secret, "derived", await digest(suite, new Uint8Array()), suite.hash_length);
}

/** No output here is longer than one block of the hash, so that a single round of HKDF-Expand is enough. */
function expandLabel(suite: CipherSuite, secret: Uint8Array, label: string, context: Uint8Array, length: number) {
  const info = concat(uint(2, length), vector(1, ascii(`tls13 ${label}`)), vector(1, context));
  return hmac(suite, secret, concat(info, uint(1, 1))).then((block) => block.slice(0, length));
}

async function hmac({ hash }: CipherSuite, key: Uint8Array, data: Uint8Array): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, data));
}

async function digest({ hash }: CipherSuite, data: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest(hash, data));
}

function zeros({ hash_length }: CipherSuite): Uint8Array {
  return new Uint8Array(hash_length);
}
