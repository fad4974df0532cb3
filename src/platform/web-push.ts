import type { BrowserSubscription } from "../contract/notify-contact.ts";

/**
 * What leaves for a push service: a message that only the browser can read (RFC 8291), with a proof of who sends it
 * (RFC 8292). The library is loaded by the few invocations that send one.
 */
export interface ApplicationKeyPair {
  /** The uncompressed point, and the private scalar, as base64url. */
  public_key: string;
  private_key: string;
}

export interface PushOptions {
  /** Seconds for which the push service keeps it while the device is away. */
  ttl: number;
  urgency: "high" | "normal";
  /** While the device is away, a later message of the same topic replaces it: at most 32 characters of base64url. */
  topic?: string;
}

export interface PushRequest {
  method: "POST";
  url: string;
  headers: Record<string, string>;
  body: Uint8Array;
}

/** The message is at most as long; all are padded to it, so that the length says nothing. */
export const PUSH_BYTES_MAX = 3_900;

export async function makeApplicationKeys(): Promise<ApplicationKeyPair> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const pair = (await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair;
  const { d = "" } = (await crypto.subtle.exportKey("jwk", pair.privateKey)) as JsonWebKey;
  const point = (await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer;
  return { public_key: Buffer.from(point).toString("base64url"), private_key: d };
}

/** Whether the keys of a subscription are such that a message can be encrypted under them. */
export async function isUsable({ keys }: BrowserSubscription): Promise<boolean> {
  const point = Buffer.from(keys.p256dh, "base64url");
  const algorithm = { name: "ECDH", namedCurve: "P-256" };
  const imported = crypto.subtle.importKey("raw", point, algorithm, false, []);
  return imported.then(
    () => true,
    () => false,
  );
}

/** `subject` is where the push service reaches the operator: an address of https or mailto. */
export async function buildPushRequest(
  { endpoint, keys }: BrowserSubscription,
  data: string,
  { ttl, urgency, topic, pair, subject }: PushOptions & { pair: ApplicationKeyPair; subject: string },
): Promise<PushRequest> {
  const { buildPushPayload } = await import("@block65/webcrypto-web-push");
  const { headers, body } = await buildPushPayload(
    { data, options: { ttl, urgency, topic } },
    { endpoint, expirationTime: null, keys },
    { subject, publicKey: pair.public_key, privateKey: pair.private_key },
  );
  // Of the body, which the runtime measures itself.
  const { "content-length": _, ...sent } = headers;
  return { method: "POST", url: endpoint, headers: sent, body };
}
