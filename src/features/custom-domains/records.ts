import type { DnsRecord } from "../../contract/custom-domain.ts";
import type { DomainRecord } from "../../data/custom-domains/read.ts";

const PROOF_LABEL = "_vigil";
const PROOF_MARK = "vigil-verification=";

export function verificationName(hostname: string): string {
  return `${PROOF_LABEL}.${hostname}`;
}

export function verificationValue({ proof }: Pick<DomainRecord, "proof">): string {
  return PROOF_MARK + proof;
}

/** What the owner of a name has to put into its zone: the proof, the way here, and what the certificate needs. */
export function recordsOf(domain: DomainRecord, target: string): DnsRecord[] {
  return [
    { type: "TXT", name: verificationName(domain.hostname), value: verificationValue(domain) },
    { type: "CNAME", name: domain.hostname, value: target },
    ...domain.provider_records,
  ];
}
