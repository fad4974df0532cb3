import { createHmac, timingSafeEqual } from "node:crypto";
import { type RootKey, rootKeysOf } from "./root-keys.ts";

interface Contact {
  id: string;
  user_id: string;
  /** The row's own: a contact that is created again gets another code. */
  created_at: number;
}

/** The eight digits that prove that a user reads what is sent to a contact. Derived, so that no row holds them. */
export function contactCode(rootSecret: string, contact: Contact): string {
  return codeUnder(rootKeysOf(rootSecret).current, contact);
}

export function isContactCode(rootSecret: string, contact: Contact, code: string): boolean {
  const given = Buffer.from(code);
  return rootKeysOf(rootSecret).all.some((key) => {
    const expected = Buffer.from(codeUnder(key, contact));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

function codeUnder({ secret }: RootKey, { id, user_id, created_at }: Contact): string {
  const mac = createHmac("sha256", `contact code ${secret}`).update(JSON.stringify([id, user_id, created_at]));
  return String(mac.digest().readUInt32BE(0) % 100_000_000).padStart(8, "0");
}
