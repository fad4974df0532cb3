import { X509Certificate } from "node:crypto";
import type { Observation } from "../../contract/observation.ts";
import { spanOf } from "../../lib/duration-format.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { brokenTls } from "./bytes.ts";
import { TLS_1_2, TLS_1_3 } from "./client-hello.ts";
import type { ServerCertificates } from "./handshake.ts";
import { isAddress } from "./host.ts";

/** The content of the certificates. Only the platform's TLS can verify whether their issuer is trusted. */
export interface CertificateVerdict {
  /** Why no client may accept it, as a sentence, or null. */
  problem: string | null;
  /** Why a client that does not trust it may have said so. */
  distrust: string;
  expires_at: number;
  details: Record<string, unknown>;
  tls: NonNullable<Observation["tls"]>;
}

const NAME_MAX = 100;
export const CHAIN_MAX = 5;
const PROTOCOLS: Record<number, string> = {
  [TLS_1_3]: "TLS 1.3",
  [TLS_1_2]: "TLS 1.2",
  770: "TLS 1.1",
  769: "TLS 1.0",
};

/** `host` is a name or a bare address, as it was asked for. */
export function evaluateCertificates(seen: ServerCertificates, host: string, now: number): CertificateVerdict {
  const [own, ...others] = seen.certificates.map(parse);
  if (!own) throw brokenTls();
  const expires_at = Date.parse(own.validTo);
  const protocol = PROTOCOLS[seen.version] ?? "SSL 3.0 or older";
  const problem =
    problemOf(own, host, now) ?? (seen.version < TLS_1_2 ? `${host} speaks nothing newer than ${protocol}` : null);
  return {
    problem,
    tls: { ...describeTls(protocol, [own, ...others]), refusal: problem },
    distrust: distrustOf(own, others, host, now),
    expires_at,
    details: {
      protocol,
      subject: nameOf(own.subject),
      issuer: nameOf(own.issuer),
      valid_from: isoOf(own.validFrom),
      valid_to: isoOf(own.validTo),
      days_left: Math.floor((expires_at - now) / DAY_MS),
      is_self_signed: isSelfSigned(own),
      fingerprint_sha256: own.fingerprint256,
      chain: others.map((certificate) => nameOf(certificate.subject)),
    },
  };
}

/** A version and certificates, the server's own first, as an observation keeps them. */
export function describeTls(version: string | null, chain: readonly X509Certificate[]): CertificateVerdict["tls"] {
  const [own] = chain;
  return {
    version,
    names: own ? namesOf(own) : "",
    chain: chain.slice(0, CHAIN_MAX).map((certificate) => ({
      subject: nameOf(certificate.subject),
      issuer: nameOf(certificate.issuer),
      expires_at: isoOf(certificate.validTo),
    })),
    refusal: null,
  };
}

function problemOf(own: X509Certificate, host: string, now: number): string | null {
  const [from, to] = [Date.parse(own.validFrom), Date.parse(own.validTo)];
  if (now >= to) return `certificate of ${host} expired ${spanOf(now - to)} ago`;
  if (now < from) return `certificate of ${host} is not valid for another ${spanOf(from - now)}`;
  return covers(own, host) ? null : `certificate of ${host} is for another name: ${namesOf(own)}`;
}

function distrustOf(own: X509Certificate, others: X509Certificate[], host: string, now: number): string {
  if (isSelfSigned(own)) return `certificate of ${host} is self-signed`;
  const old = others.find((certificate) => now >= Date.parse(certificate.validTo));
  if (old) return `certificate of ${host} comes with an expired one: ${nameOf(old.subject)}`;
  return `certificate of ${host} is not trusted, issued by ${nameOf(own.issuer)}`;
}

/** By subjectAltName alone, wildcards for one label included, as browsers do (RFC 9525). */
function covers(own: X509Certificate, host: string): boolean {
  const covered = isAddress(host) ? own.checkIP(host) : own.checkHost(host, { subject: "never" });
  return covered !== undefined;
}

function isSelfSigned(own: X509Certificate): boolean {
  return own.subject === own.issuer && own.verify(own.publicKey);
}

function parse(der: Uint8Array): X509Certificate {
  try {
    return new X509Certificate(der);
  } catch (cause) {
    throw brokenTls({ cause });
  }
}

function namesOf(own: X509Certificate): string {
  const names = (own.subjectAltName ?? "").replaceAll(/(DNS|IP Address):/g, "");
  return shortened(names === "" ? nameOf(own.subject) : names);
}

/** The readable part of a distinguished name, which has one `KEY=value` per line. */
function nameOf(distinguished: string): string {
  const fields = new Map(distinguished.split("\n").map((line): [string, string] => [line.slice(0, 2), line.slice(3)]));
  return shortened(fields.get("CN") ?? distinguished.split("\n").at(-1) ?? "");
}

function shortened(text: string): string {
  return text.length > NAME_MAX ? `${text.slice(0, NAME_MAX)}…` : text;
}

function isoOf(text: string): string {
  return new Date(Date.parse(text)).toISOString();
}
