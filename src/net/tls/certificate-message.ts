import { ByteReader, brokenTls } from "./bytes.ts";
import { TLS_1_3 } from "./client-hello.ts";

const CERTIFICATES_MAX = 20;

/** The certificates of a Certificate message, the server's own first, in DER (RFC 8446, 4.4.2; RFC 5246, 7.4.2). */
export function parseCertificateMessage(body: Uint8Array, version: number): Uint8Array[] {
  const reader = new ByteReader(body);
  if (version === TLS_1_3) reader.vector(1);
  const list = reader.vector(3);
  const certificates: Uint8Array[] = [];
  while (!list.isAtEnd && certificates.length < CERTIFICATES_MAX) {
    certificates.push(list.vector(3).rest().slice());
    if (version === TLS_1_3) list.vector(2);
  }
  if (certificates.length === 0) throw brokenTls();
  return certificates;
}
