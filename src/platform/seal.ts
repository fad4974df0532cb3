import { findRootKey, type RootKey, rootKeysOf } from "./root-keys.ts";

/**
 * Encryption at rest for settings that must be sent on (header values, webhook addresses and secrets): AES-256-GCM
 * under a key derived from the operator's root secret, bound to the row it belongs to. The form is `v1.<iv>.<data>` under
 * root key 1 and `v1-<id>.<iv>.<data>` under any other.
 */
const FORM = /^v1(?:-(\d{1,3}))?$/;
const keys = new Map<string, Promise<CryptoKey>>();

function keyFrom(secret: string): Promise<CryptoKey> {
  const known = keys.get(secret);
  if (known) return known;
  const derived = deriveKey(secret);
  keys.set(secret, derived);
  return derived;
}

async function deriveKey(secret: string): Promise<CryptoKey> {
  const root = await crypto.subtle.importKey("raw", new TextEncoder().encode(secret), "HKDF", false, ["deriveKey"]);
  const purpose = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: new TextEncoder().encode("seal v1") };
  return crypto.subtle.deriveKey(purpose, root, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

export async function seal(rootSecret: string, rowId: string, value: unknown): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const algorithm = { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(rowId) };
  const plain = new TextEncoder().encode(JSON.stringify(value));
  const { current } = rootKeysOf(rootSecret);
  const data = await crypto.subtle.encrypt(algorithm, await keyFrom(current.secret), plain);
  return [formOf(current), toBase64(iv), toBase64(new Uint8Array(data))].join(".");
}

/** What sealed values begin with whose key is the current one. */
export function currentSealPrefix(rootSecret: string): string {
  return `${formOf(rootKeysOf(rootSecret).current)}.`;
}

function formOf({ id }: RootKey): string {
  return id === 1 ? "v1" : `v1-${id}`;
}

/** Throws when the value was sealed under a secret that is not among the keys, or for another row. */
export async function unseal(rootSecret: string, rowId: string, sealed: string): Promise<unknown> {
  const [form = "", iv, data] = sealed.split(".");
  const [version, keyId = "1"] = FORM.exec(form) ?? [];
  if (version === undefined || iv === undefined || data === undefined) throw new Error("sealed value of unknown form");
  const key = findRootKey(rootSecret, Number(keyId));
  if (!key) throw new Error(`ROOT_SECRET has no key ${keyId}, under which the value is sealed`);
  const algorithm = { name: "AES-GCM", iv: fromBase64(iv), additionalData: new TextEncoder().encode(rowId) };
  const plain = await crypto.subtle.decrypt(algorithm, await keyFrom(key.secret), fromBase64(data));
  return JSON.parse(new TextDecoder().decode(plain));
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, "base64"));
}
