/**
 * Encryption at rest for settings that must be sent on (header values, webhook addresses and secrets): AES-256-GCM
 * under a key derived from the operator's root secret, bound to the row it belongs to. The form is `v1.<iv>.<data>`.
 */
const VERSION = "v1";
const keys = new Map<string, Promise<CryptoKey>>();

function keyFrom(rootSecret: string): Promise<CryptoKey> {
  const known = keys.get(rootSecret);
  if (known) return known;
  const derived = deriveKey(rootSecret);
  keys.set(rootSecret, derived);
  return derived;
}

async function deriveKey(rootSecret: string): Promise<CryptoKey> {
  const root = await crypto.subtle.importKey("raw", new TextEncoder().encode(rootSecret), "HKDF", false, ["deriveKey"]);
  const purpose = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: new TextEncoder().encode("seal v1") };
  return crypto.subtle.deriveKey(purpose, root, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

export async function seal(rootSecret: string, rowId: string, value: unknown): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const algorithm = { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(rowId) };
  const plain = new TextEncoder().encode(JSON.stringify(value));
  const data = await crypto.subtle.encrypt(algorithm, await keyFrom(rootSecret), plain);
  return [VERSION, toBase64(iv), toBase64(new Uint8Array(data))].join(".");
}

/** Throws when the value was sealed under another secret or for another row. */
export async function unseal(rootSecret: string, rowId: string, sealed: string): Promise<unknown> {
  const [version, iv, data] = sealed.split(".");
  if (version !== VERSION || iv === undefined || data === undefined) throw new Error("sealed value of unknown form");
  const algorithm = { name: "AES-GCM", iv: fromBase64(iv), additionalData: new TextEncoder().encode(rowId) };
  const plain = await crypto.subtle.decrypt(algorithm, await keyFrom(rootSecret), fromBase64(data));
  return JSON.parse(new TextDecoder().decode(plain));
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}
