import { isProof, type Proof, prove } from "./root-keys.ts";

/**
 * The secret of the link in mail that an account has sent to somebody: the account, the hash of the address, and a proof
 * that the service made the link. Mail to that address alone carries it.
 */
const TOKEN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([0-9a-f]{64})\.([\w-]{32})$/;

interface Named {
  account_id: string;
  address_hash: string;
}

export function mailConsentToken(rootSecret: string, named: Named): string {
  return `${named.account_id}.${named.address_hash}.${prove(rootSecret, proofOf(named))}`;
}

/** Whose mail to whom a genuine token is about; null for every other text. */
export function parseMailConsentToken(rootSecret: string, token: string): Named | null {
  const [, account_id, address_hash, mac] = TOKEN.exec(token) ?? [];
  if (account_id === undefined || address_hash === undefined || mac === undefined) return null;
  const named = { account_id, address_hash };
  return isProof(rootSecret, mac, proofOf(named)) ? named : null;
}

function proofOf({ account_id, address_hash }: Named): Proof {
  return { purpose: "mail consent link", text: `${account_id}.${address_hash}`, length: 32 };
}
