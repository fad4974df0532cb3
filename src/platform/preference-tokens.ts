import { isProof, type Proof, prove } from "./root-keys.ts";

/** The secret of a preference link: the user, and a proof that the service made the link. Nothing is stored. */
const TOKEN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([\w-]{32})$/;

export function preferenceToken(rootSecret: string, userId: string): string {
  return `${userId}.${prove(rootSecret, proofOf(userId))}`;
}

/** The user that a genuine token names; null for every other text. */
export function parsePreferenceToken(rootSecret: string, token: string): string | null {
  const [, id, mac] = TOKEN.exec(token) ?? [];
  if (id === undefined || mac === undefined) return null;
  return isProof(rootSecret, mac, proofOf(id)) ? id : null;
}

function proofOf(text: string): Proof {
  return { purpose: "preference link", text, length: 32 };
}
