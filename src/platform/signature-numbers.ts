/**
 * What of the packages `@peculiar/*` goes into the Worker, in their place (wrangler.toml): the library that verifies
 * passkeys reads certificates of devices with them, which web-authn.ts refuses before. That is 60 of the 1,000 kB that the
 * Worker may have. What a signature needs of them is a sequence of two numbers.
 */
export class ECDSASigValue {
  r = new Uint8Array();
  s = new Uint8Array();
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;
/** The lengths that signatures on P-521 and shorter curves have: one byte, or this one and a second. */
const LONG = 0x81;

export const AsnParser = {
  /** As DER (X.690) has them; whether they are in range is for the caller to judge. */
  parse(data: Uint8Array, type: unknown): ECDSASigValue {
    if (type !== ECDSASigValue) throw new Error("only signatures are read, no certificates");
    const content = readElement(data, SEQUENCE);
    const r = readElement(content.value, INTEGER);
    const s = readElement(r.rest, INTEGER);
    if (content.rest.length > 0 || s.rest.length > 0) throw new Error("bytes follow the signature");
    return { r: r.value, s: s.value };
  },
};

function readElement(bytes: Uint8Array, tag: number): { value: Uint8Array<ArrayBuffer>; rest: Uint8Array } {
  const from = bytes[1] === LONG ? 3 : 2;
  const length = bytes[from - 1] ?? 0;
  const end = from + length;
  if (bytes[0] !== tag || (from === 2 && length >= LONG) || length === 0 || end > bytes.length) {
    throw new Error("the signature is not two numbers in DER");
  }
  return { value: bytes.slice(from, end), rest: bytes.subarray(end) };
}

/** Nothing comes to where the library would use one: each reads a certificate. */
const NONE = undefined;

export {
  NONE as AuthorityKeyIdentifierExtension,
  NONE as BasicConstraints,
  NONE as CRLDistributionPointsExtension,
  NONE as Certificate,
  NONE as ECParameters,
  NONE as ExtendedKeyUsage,
  NONE as id_ce_basicConstraints,
  NONE as id_ce_extKeyUsage,
  NONE as id_ce_keyDescription,
  NONE as id_ce_subjectAltName,
  NONE as id_ecdsaWithSHA256,
  NONE as id_ecdsaWithSHA384,
  NONE as id_ecdsaWithSHA512,
  NONE as id_ecPublicKey,
  NONE as id_ml_dsa_44,
  NONE as id_ml_dsa_65,
  NONE as id_ml_dsa_87,
  NONE as id_rsaEncryption,
  NONE as id_secp256r1,
  NONE as id_secp384r1,
  NONE as id_sha1WithRSAEncryption,
  NONE as id_sha256WithRSAEncryption,
  NONE as id_sha384WithRSAEncryption,
  NONE as id_sha512WithRSAEncryption,
  NONE as KeyDescription,
  NONE as OctetString,
  NONE as RSAPublicKey,
  NONE as SubjectAlternativeName,
  NONE as SubjectKeyIdentifierExtension,
  NONE as X509Certificate,
  NONE as X509ChainBuilder,
  NONE as X509Crl,
};
