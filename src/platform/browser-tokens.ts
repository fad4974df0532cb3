import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * What a browser keeps of an account that once signed in with it: a random name and a proof that the service gave it that
 * name for that account. It signs nobody in; attempts from it are counted apart from those of strangers. Nothing is stored.
 */
const MAC_LENGTH = 32;
const TOKEN = /^([\w-]{22})\.([\w-]{32})$/;

export function createBrowserToken(rootSecret: string, userId: string): string {
  const name = randomBytes(16).toString("base64url");
  return `${name}.${macOf(rootSecret, { userId, name })}`;
}

/** The browser that a genuine token of this account names; null for every other text. */
export function parseBrowserToken(rootSecret: string, { userId, token }: { userId: string; token: string }) {
  const [, name, mac] = TOKEN.exec(token) ?? [];
  if (name === undefined || mac === undefined) return null;
  return timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(rootSecret, { userId, name }))) ? name : null;
}

function macOf(rootSecret: string, { userId, name }: { userId: string; name: string }): string {
  const mac = createHmac("sha256", `known browser ${rootSecret}`).update(JSON.stringify([userId, name]));
  return mac.digest("base64url").slice(0, MAC_LENGTH);
}
