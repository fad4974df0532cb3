import { randomBytes } from "node:crypto";
import { isProof, type Proof, prove } from "./root-keys.ts";

/**
 * What a browser keeps of an account that once signed in with it: a random name and a proof that the service gave it that
 * name for that account. It signs nobody in; attempts from it are counted apart from those of strangers. Nothing is stored.
 */
const TOKEN = /^([\w-]{22})\.([\w-]{32})$/;

export function createBrowserToken(rootSecret: string, userId: string): string {
  const name = randomBytes(16).toString("base64url");
  return `${name}.${prove(rootSecret, proofOf({ userId, name }))}`;
}

/** The browser that a genuine token of this account names; null for every other text. */
export function parseBrowserToken(rootSecret: string, { userId, token }: { userId: string; token: string }) {
  const [, name, mac] = TOKEN.exec(token) ?? [];
  if (name === undefined || mac === undefined) return null;
  return isProof(rootSecret, mac, proofOf({ userId, name })) ? name : null;
}

function proofOf({ userId, name }: { userId: string; name: string }): Proof {
  return { purpose: "known browser", text: JSON.stringify([userId, name]), length: 32 };
}
