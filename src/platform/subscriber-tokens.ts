import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * What stands in the links that subscribers get: the subscription and a proof that we made the link for one purpose.
 * Nothing is stored, so a link can be written into every message. A confirmation is bound to the request that asked for
 * it and is good for one day and one use.
 */
export type SubscriberPurpose = { kind: "manage" } | { kind: "confirm"; requested_at: number };

const MAC_LENGTH = 32;
const TOKEN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([\w-]{32})$/;

export function subscriberToken(rootSecret: string, subscriberId: string, purpose: SubscriberPurpose): string {
  return `${subscriberId}.${macOf(rootSecret, subscriberId, purpose)}`;
}

/** Whose link this may be; whether it is one is for isSubscriberToken to say. */
export function subscriberOf(token: string): string | undefined {
  return TOKEN.exec(token)?.[1];
}

export function isSubscriberToken(rootSecret: string, token: string, purpose: SubscriberPurpose): boolean {
  const [, id, mac] = TOKEN.exec(token) ?? [];
  if (id === undefined || mac === undefined) return false;
  return timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(rootSecret, id, purpose)));
}

/** The same address gives the same hash, which cannot be inverted without the secret. */
export function endpointHash(rootSecret: string, channel: string, endpoint: string): string {
  return createHmac("sha256", `subscriber endpoint ${rootSecret}`)
    .update(JSON.stringify([channel, endpoint]))
    .digest("hex");
}

function macOf(rootSecret: string, id: string, purpose: SubscriberPurpose): string {
  const words = purpose.kind === "confirm" ? [purpose.kind, id, purpose.requested_at] : [purpose.kind, id];
  const mac = createHmac("sha256", `subscriber link ${rootSecret}`).update(JSON.stringify(words));
  return mac.digest("base64url").slice(0, MAC_LENGTH);
}
