import { createHmac } from "node:crypto";
import { isProof, type Proof, prove, rootKeysOf } from "./root-keys.ts";

/**
 * What stands in the links that subscribers get: the subscription and a proof that we made the link for one purpose.
 * Nothing is stored, so a link can be written into every message. A confirmation is bound to the request that asked for
 * it and is good for one day and one use.
 */
export type SubscriberPurpose = { kind: "manage" } | { kind: "confirm"; requested_at: number };

const TOKEN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([\w-]{32})$/;

export function subscriberToken(rootSecret: string, subscriberId: string, purpose: SubscriberPurpose): string {
  return `${subscriberId}.${prove(rootSecret, proofOf(subscriberId, purpose))}`;
}

/** Whose link this may be; whether it is one is for isSubscriberToken to say. */
export function subscriberOf(token: string): string | undefined {
  return TOKEN.exec(token)?.[1];
}

export function isSubscriberToken(rootSecret: string, token: string, purpose: SubscriberPurpose): boolean {
  const [, id, mac] = TOKEN.exec(token) ?? [];
  if (id === undefined || mac === undefined) return false;
  return isProof(rootSecret, mac, proofOf(id, purpose));
}

/**
 * The same address gives the same hash, which cannot be inverted without the secret. The first one is stored; rows of
 * earlier root keys have one of the others.
 */
export function endpointHashes(rootSecret: string, channel: string, endpoint: string): [string, ...string[]] {
  const { current, all } = rootKeysOf(rootSecret);
  const text = JSON.stringify([channel, endpoint]);
  const hashUnder = (secret: string) =>
    createHmac("sha256", `subscriber endpoint ${secret}`).update(text).digest("hex");
  return [hashUnder(current.secret), ...all.slice(1).map(({ secret }) => hashUnder(secret))];
}

function proofOf(id: string, purpose: SubscriberPurpose): Proof {
  const words = purpose.kind === "confirm" ? [purpose.kind, id, purpose.requested_at] : [purpose.kind, id];
  return { purpose: "subscriber link", text: JSON.stringify(words), length: 32 };
}
