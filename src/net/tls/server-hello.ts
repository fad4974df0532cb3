import { IoFault } from "../../lib/io-fault.ts";
import { ByteReader } from "./bytes.ts";
import { TLS_1_3 } from "./client-hello.ts";

/** What the server chose (RFC 8446, section 4.1.3). */
export interface ServerHello {
  version: number;
  suite: number;
  /** Null below TLS 1.3. */
  share: { group: number; public_key: Uint8Array } | null;
}

const SUPPORTED_VERSIONS = 43;
const KEY_SHARE = 51;
/** A ServerHello with this "random" requests another ClientHello: the SHA-256 of "HelloRetryRequest". */
const RETRY_RANDOM = "cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c";

export function parseServerHello(body: Uint8Array): ServerHello {
  const reader = new ByteReader(body);
  const legacyVersion = reader.uint(2);
  const random = reader.take(32);
  reader.vector(1);
  const suite = reader.uint(2);
  reader.uint(1);
  const extensions = reader.isAtEnd ? new Map<number, Uint8Array>() : parseExtensions(reader.vector(2));
  const chosen = extensions.get(SUPPORTED_VERSIONS);
  const version = chosen ? new ByteReader(chosen).uint(2) : legacyVersion;
  if (hex(random) === RETRY_RANDOM) {
    throw new IoFault("unsupported", "the server asks for a TLS key exchange that this check does not know");
  }
  const share = version === TLS_1_3 ? extensions.get(KEY_SHARE) : undefined;
  return { version, suite, share: share ? parseShare(new ByteReader(share)) : null };
}

function parseShare(reader: ByteReader): ServerHello["share"] {
  return { group: reader.uint(2), public_key: reader.vector(2).rest() };
}

function parseExtensions(reader: ByteReader): Map<number, Uint8Array> {
  const extensions = new Map<number, Uint8Array>();
  while (!reader.isAtEnd) extensions.set(reader.uint(2), reader.vector(2).rest());
  return extensions;
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
