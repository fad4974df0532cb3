import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** Certificates made on the spot, with any dates and names, so that no test depends on today or on a tool. */

export interface Identity {
  /** PEM. */
  certificate: string;
  key: string;
  /** PEM of the certificate that signed it, if another did. */
  issuer_certificate: string;
}
export interface Authority extends Identity {
  name: string;
  signing_key: KeyObject;
}
export interface CertificateWish {
  name: string;
  /** Names and addresses it is for; each `DNS:…` or `IP:…`. */
  hosts?: readonly string[];
  /** From now. */
  from_days?: number;
  to_days?: number;
  /** None: it signs itself. */
  issuer?: Authority;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export function makeCertificate(wish: CertificateWish): Authority {
  const { name, hosts = [], from_days = -30, to_days = 90, issuer } = wish;
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signing_key = pair.privateKey;
  const now = Date.now();
  const isAuthority = hosts.length === 0;
  const content = der(
    0x30,
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(0x40, ...randomBytes(7))),
    ECDSA_SHA256,
    distinguishedName(issuer?.name ?? name),
    der(0x30, time(now + from_days * DAY_MS), time(now + to_days * DAY_MS)),
    distinguishedName(name),
    pair.publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, der(0x30, isAuthority ? BASIC_CONSTRAINTS_CA : alternativeNames(hosts))),
  );
  const signature = sign("sha256", content, issuer?.signing_key ?? signing_key);
  const certificate = der(0x30, content, ECDSA_SHA256, der(0x03, Buffer.of(0), signature));
  return {
    name,
    signing_key,
    certificate: pem(certificate),
    issuer_certificate: issuer?.certificate ?? "",
    key: String(signing_key.export({ type: "pkcs8", format: "pem" })),
  };
}

/** DER (X.690): a tag, the length, the content. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.of(tag, ...head), content]);
}

const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
const ECDSA_SHA256 = der(0x30, oid("2a8648ce3d040302"));
const TRUE = der(0x01, Buffer.of(255));
const BASIC_CONSTRAINTS_CA = der(0x30, oid("551d13"), TRUE, der(0x04, der(0x30, TRUE)));

function distinguishedName(commonName: string): Buffer {
  return der(0x30, der(0x31, der(0x30, oid("550403"), der(0x0c, Buffer.from(commonName)))));
}

function alternativeNames(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) =>
    host.startsWith("IP:")
      ? der(0x87, Buffer.from(host.slice(3).split(".").map(Number)))
      : der(0x82, Buffer.from(host.slice(4))),
  );
  return der(0x30, oid("551d11"), der(0x04, der(0x30, ...names)));
}

/** GeneralizedTime: 20261121031217Z */
function time(instant: number): Buffer {
  return der(0x18, Buffer.from(`${new Date(instant).toISOString().replace(/\.\d+Z$|[-:T]/g, "")}Z`));
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
