import { brokenTls } from "./bytes.ts";

/** Diffie-Hellman for one handshake, by WebCrypto (RFC 8446, section 4.2.8). */
export interface KeyShare {
  group: number;
  public_key: Uint8Array;
  private_key: CryptoKey;
}

type Algorithm = { name: "X25519" } | { name: "ECDH"; namedCurve: "P-256" };

const GROUPS: readonly [group: number, algorithm: Algorithm][] = [
  [0x001d, { name: "X25519" }],
  [0x0017, { name: "ECDH", namedCurve: "P-256" }],
];
/** Both groups give 32 bytes. */
const SECRET_BITS = 256;

export function createKeyShares(): Promise<KeyShare[]> {
  return Promise.all(
    GROUPS.map(async ([group, algorithm]) => {
      const pair = asPair(await crypto.subtle.generateKey(algorithm, true, ["deriveBits"]));
      const public_key = asBytes(await crypto.subtle.exportKey("raw", pair.publicKey));
      return { group, public_key, private_key: pair.privateKey };
    }),
  );
}

/** 32 unpredictable bytes, which is just what a fresh AES key is. */
export async function createRandom(): Promise<Uint8Array> {
  const key = asKey(await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, true, ["encrypt"]));
  return asBytes(await crypto.subtle.exportKey("raw", key));
}

export async function sharedSecret(
  shares: readonly KeyShare[],
  group: number,
  theirs: Uint8Array,
): Promise<Uint8Array> {
  const own = shares.find((share) => share.group === group);
  const [, algorithm] = GROUPS.find(([known]) => known === group) ?? [];
  if (!own || !algorithm) throw brokenTls();
  try {
    const key = await crypto.subtle.importKey("raw", theirs, algorithm, true, []);
    const exchange = { ...algorithm, public: key };
    return new Uint8Array(await crypto.subtle.deriveBits(exchange, own.private_key, SECRET_BITS));
  } catch (cause) {
    throw brokenTls({ cause });
  }
}

/** The types of WebCrypto leave open what the algorithm decides: a pair for an exchange, one key for a cipher. */
function asPair(generated: CryptoKey | CryptoKeyPair): CryptoKeyPair {
  if (!("privateKey" in generated)) throw new Error("a key exchange needs a pair of keys");
  return generated;
}

function asKey(generated: CryptoKey | CryptoKeyPair): CryptoKey {
  if ("privateKey" in generated) throw new Error("a cipher has a single key");
  return generated;
}

/** Likewise, a raw export is bytes. */
function asBytes(exported: ArrayBuffer | JsonWebKey): Uint8Array {
  if (!(exported instanceof ArrayBuffer)) throw new Error("a raw key is bytes");
  return new Uint8Array(exported);
}
