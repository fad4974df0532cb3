import { expect, vi } from "vitest";
import type { BrowserMessage } from "../../src/lib/browser-message.ts";
import { newId } from "../../src/platform/ids.ts";
import { V1 } from "./client.ts";
import type { Account } from "./factories.ts";
import { PATIENCE } from "./patience.ts";
import type { Received, Sink } from "./sink.ts";

/**
 * A push service that refuses what a real one would, and the browser behind it: RFC 8030 (headers), RFC 8292 (who sends it)
 * and RFC 8291 (what is in it), written from the RFCs and without the library of the product.
 */
export interface Keys {
  /** Raw point of the browser, and the private key to it. */
  point: Uint8Array<ArrayBuffer>;
  private_key: CryptoKey;
  auth: Uint8Array<ArrayBuffer>;
}

export interface Arrived {
  message: BrowserMessage;
  ttl: number;
  urgency: string;
  topic: string | null;
}

export interface Subscription {
  endpoint: string;
  /** What a browser gives a page. */
  value: string;
  arrived: Arrived[];
  /** The next answers instead of 201. */
  refuse(...answers: Response[]): void;
}

const ORIGIN = "https://sink.test";
const DAY_S = 86_400;
const ECDH = { name: "ECDH", namedCurve: "P-256" } as const;

/** A browser that subscribed with the key of the installation. */
export async function subscribe(sink: Sink, account: Account): Promise<Subscription> {
  const { public_key } = (await account.client.get(`${V1}/notify-contacts/application-key`)).body;
  const keys = await makeKeys();
  const endpoint = `${ORIGIN}/push/${newId()}`;
  const arrived: Arrived[] = [];
  const refusals: Response[] = [];
  sink.serve(endpoint, async (request) => {
    const refusal = refusals.shift();
    if (refusal) return refusal;
    const flaw = await findFlaw(request, public_key);
    if (flaw !== null) throw new Error(`the push service refuses: ${flaw}`);
    const text = new TextDecoder().decode(await decrypt(request.bytes, keys));
    arrived.push({
      message: JSON.parse(text),
      ttl: Number(request.headers.get("ttl")),
      urgency: request.headers.get("urgency") ?? "",
      topic: request.headers.get("topic"),
    });
    return new Response(null, { status: 201 });
  });
  const encoded = { p256dh: toBase64Url(keys.point), auth: toBase64Url(keys.auth) };
  const value = JSON.stringify({ endpoint, expirationTime: null, keys: encoded });
  return { endpoint, value, arrived, refuse: (...answers) => void refusals.push(...answers) };
}

/** A contact that the browser has verified by the test message. */
export async function addBrowser(sink: Sink, account: Account, label = "Chrome on Android") {
  const browser = await subscribe(sink, account);
  const { body } = await account.client.post(`${V1}/notify-contacts`, { type: "push", value: browser.value, label });
  const code = await codeOf(browser);
  await account.client.post(`${V1}/notify-contacts/${body.id}/verify`, { code });
  browser.arrived.length = 0;
  return { ...browser, id: String(body.id) };
}

/** The code in the test message, which leaves after the answer to the request. */
export async function codeOf({ arrived }: Subscription): Promise<string> {
  await vi.waitFor(() => expect(arrived).not.toEqual([]), PATIENCE);
  const message = arrived[0]?.message;
  if (message?.kind !== "code") throw new Error("no code arrived");
  return message.code;
}

async function findFlaw({ method, url, headers, bytes }: Received, publicKey: string): Promise<string | null> {
  if (method !== "POST") return "it is no POST";
  if (!/^\d+$/.test(headers.get("ttl") ?? "")) return "TTL is missing (RFC 8030, 5.2)";
  if (!/^(?:very-low|low|normal|high)$/.test(headers.get("urgency") ?? "normal")) return "Urgency (RFC 8030, 5.3)";
  if (!/^[\w-]{1,32}$/.test(headers.get("topic") ?? "t")) return "Topic (RFC 8030, 5.4)";
  if (headers.get("content-encoding") !== "aes128gcm") return "Content-Encoding (RFC 8291, 4)";
  if (bytes.length > 4096) return "the body is too long (RFC 8030, 7.2)";
  const [, token = "", key = ""] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(headers.get("authorization") ?? "") ?? [];
  if (key !== publicKey) return "it is not sent by the one that the browser subscribed to (RFC 8292, 4.2)";
  return findTokenFlaw(token, { key, origin: new URL(url).origin });
}

/** RFC 8292, 2. */
async function findTokenFlaw(token: string, { key, origin }: { key: string; origin: string }): Promise<string | null> {
  const [head = "", claims = "", signature = ""] = token.split(".");
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const imported = await crypto.subtle.importKey("raw", fromBase64Url(key), algorithm, false, ["verify"]);
  const signed = new TextEncoder().encode(`${head}.${claims}`);
  const hash = { name: "ECDSA", hash: "SHA-256" };
  if (!(await crypto.subtle.verify(hash, imported, fromBase64Url(signature), signed))) return "the signature";
  if (JSON.parse(atob(toBase64(head))).alg !== "ES256") return "alg";
  const { aud, exp, sub } = JSON.parse(atob(toBase64(claims)));
  const now = Date.now() / 1000;
  if (aud !== origin) return "aud";
  if (!(exp > now && exp <= now + DAY_S)) return "exp";
  return /^(?:mailto:.+@.+|https:\/\/.+)$/.test(sub) ? null : "sub";
}

/** RFC 8188, 2 and RFC 8291, 3.4. */
export async function decrypt(bytes: Uint8Array<ArrayBuffer>, { point, private_key, auth }: Keys) {
  const salt = bytes.slice(0, 16);
  const record = new DataView(bytes.buffer, bytes.byteOffset).getUint32(16);
  const idLength = bytes[20] ?? 0;
  const sender = bytes.slice(21, 21 + idLength);
  const sealed = bytes.slice(21 + idLength);
  if (sealed.length > record) throw new Error("more than one record");
  const theirs = await crypto.subtle.importKey("raw", sender, ECDH, false, []);
  const secret = await crypto.subtle.deriveBits(agreementWith(theirs), private_key, 256);
  const info = concat(text("WebPush: info\0"), point, sender);
  const ikm = await hkdf(secret, { salt: auth, info, bits: 256 });
  const cek = await hkdf(ikm, { salt, info: text("Content-Encoding: aes128gcm\0"), bits: 128 });
  const nonce = await hkdf(ikm, { salt, info: text("Content-Encoding: nonce\0"), bits: 96 });
  const key = await crypto.subtle.importKey("raw", cek, "AES-GCM", false, ["decrypt"]);
  const padded = new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv: nonce }, key, sealed));
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (padded[end] !== 2) throw new Error("the delimiter of the last record");
  return padded.slice(0, end);
}

/** The types of the runtime call the member `$public`, and nothing else does. */
function agreementWith(theirs: CryptoKey): SubtleCryptoDeriveKeyAlgorithm {
  return { name: "ECDH", public: theirs } as unknown as SubtleCryptoDeriveKeyAlgorithm;
}

async function makeKeys(): Promise<Keys> {
  const pair = (await crypto.subtle.generateKey(ECDH, false, ["deriveBits"])) as CryptoKeyPair;
  const point = new Uint8Array((await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer);
  return { point, private_key: pair.privateKey, auth: crypto.getRandomValues(new Uint8Array(16)) };
}

interface Derivation {
  salt: Uint8Array<ArrayBuffer>;
  info: Uint8Array<ArrayBuffer>;
  bits: number;
}

async function hkdf(secret: ArrayBuffer, { salt, info, bits }: Derivation): Promise<ArrayBuffer> {
  const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  return crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt, info }, key, bits);
}

const text = (value: string) => new Uint8Array(new TextEncoder().encode(value));
const toBase64 = (value: string) => value.replaceAll("-", "+").replaceAll("_", "/");

export function fromBase64Url(value: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(toBase64(value)), (character) => character.charCodeAt(0));
}

function toBase64Url(bytes: Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function concat(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}
