import { createHash } from "node:crypto";
import { IoFault } from "../lib/io-fault.ts";

/**
 * How a password is proven to MySQL and MariaDB.
 * https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_authentication_methods.html
 */
type Answer = (password: string, scramble: Uint8Array, isEncrypted: boolean) => Uint8Array;

const METHODS: Readonly<Record<string, Answer>> = {
  mysql_native_password(password, scramble) {
    if (password === "") return new Uint8Array();
    const once = digest("sha1", password);
    return xor(once, digest("sha1", scramble, digest("sha1", once)));
  },
  caching_sha2_password(password, scramble) {
    if (password === "") return new Uint8Array();
    const once = digest("sha256", password);
    return xor(once, digest("sha256", digest("sha256", once), scramble));
  },
  sha256_password: inFull,
  mysql_clear_password: inFull,
};

/** The password itself, which only an encrypted connection may carry. */
export function inFull(password: string, _scramble: Uint8Array, isEncrypted: boolean): Uint8Array {
  if (password !== "" && !isEncrypted) {
    throw new IoFault("unsupported", "the server wants the whole password, which is sent with tls_mode on only");
  }
  return new TextEncoder().encode(`${password}\0`);
}

/** Null for a method that only a client library of the maker knows. */
export function loginAnswer(method: string): Answer | null {
  return Object.hasOwn(METHODS, method) ? (METHODS[method] ?? null) : null;
}

function digest(algorithm: "sha1" | "sha256", ...parts: (string | Uint8Array)[]): Uint8Array {
  const hash = createHash(algorithm);
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function xor(left: Uint8Array, right: Uint8Array): Uint8Array {
  return left.map((byte, index) => byte ^ (right[index] ?? 0));
}
