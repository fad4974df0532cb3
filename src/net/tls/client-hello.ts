import { ascii, concat, uint, uint16s, vector } from "./bytes.ts";
import type { KeyShare } from "./key-share.ts";

/** The first message of a handshake (RFC 8446, section 4.1.2). It offers TLS 1.3 and, so as to see its certificate, 1.2. */

export const TLS_1_3 = 0x0304;
export const TLS_1_2 = 0x0303;

export interface ClientHelloOptions {
  /** Empty for an address, which has no place in this extension. */
  server_name: string;
  /** Left out when empty: servers of other protocols end the handshake over an ALPN that they do not know. */
  alpn: readonly string[];
}

/** AES-GCM of TLS 1.3 with 128 and 256 bits, the ones that can be finished. */
const SUITES_1_3 = [0x1301, 0x1302];
/** Of 1.2 only the certificate is read, so that everything a server may insist on is offered; the last is RFC 5746. */
const SUITES_1_2 = [
  ...[0xc02b, 0xc02f, 0xc02c, 0xc030, 0xcca9, 0xcca8, 0xc023, 0xc027, 0xc009, 0xc013, 0xc00a, 0xc014],
  ...[0x009e, 0x009f, 0x0033, 0x0039, 0x009c, 0x009d, 0x003c, 0x002f, 0x0035, 0x00ff],
];
const SIGNATURES = [
  ...[0x0403, 0x0503, 0x0603, 0x0807, 0x0808, 0x0804, 0x0805, 0x0806, 0x0809, 0x080a, 0x080b],
  ...[0x0401, 0x0501, 0x0601, 0x0203, 0x0201],
];

export function clientHello(wishes: ClientHelloOptions, random: Uint8Array, shares: readonly KeyShare[]): Uint8Array {
  const groups = shares.map((share) => share.group);
  const offered = shares.map((share) => concat(uint16s(share.group), vector(2, share.public_key)));
  const extensions = [
    ...(wishes.server_name === "" ? [] : [extension(0, vector(2, uint(1, 0), vector(2, ascii(wishes.server_name))))]),
    extension(10, vector(2, uint16s(...groups))),
    extension(11, vector(1, uint(1, 0))),
    extension(13, vector(2, uint16s(...SIGNATURES))),
    ...(wishes.alpn.length === 0
      ? []
      : [extension(16, vector(2, ...wishes.alpn.map((name) => vector(1, ascii(name)))))]),
    extension(43, vector(1, uint16s(TLS_1_3, TLS_1_2))),
    extension(51, vector(2, ...offered)),
  ];
  return concat(
    uint16s(TLS_1_2),
    random,
    vector(1),
    vector(2, uint16s(...SUITES_1_3, ...SUITES_1_2)),
    vector(1, uint(1, 0)),
    vector(2, ...extensions),
  );
}

function extension(type: number, content: Uint8Array): Uint8Array {
  return concat(uint16s(type), vector(2, content));
}
