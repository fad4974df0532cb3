import type { DnsCheck, DnsRecordType } from "../contract/dns-check.ts";
import type { ProbeFailure } from "./faults.ts";

/** What a name server said, whichever way it was asked. Records are written as zone files write them. */
export interface DnsReply {
  rcode: number;
  records: string[];
  ttl_seconds: number | null;
}

const RCODES: Readonly<Record<number, [name: string, meaning: string]>> = {
  1: ["FORMERR", "the name server did not understand the question"],
  2: ["SERVFAIL", "the name server failed to find an answer"],
  3: ["NXDOMAIN", "the name does not exist"],
  4: ["NOTIMP", "the name server cannot answer such questions"],
  5: ["REFUSED", "the name server refuses to answer"],
};
const SHOWN_MAX = 5;
const SHOWN_LENGTH = 80;

export function rcodeName(rcode: number): string {
  return rcode === 0 ? "NOERROR" : (RCODES[rcode]?.[0] ?? `RCODE${rcode}`);
}

/** The message of a success, or what is wrong. Choice: records are shown, because they are public and the point. */
export function evaluateReply({ rcode, records }: DnsReply, check: DnsCheck): string | ProbeFailure {
  const type = check.dns_record_type;
  if (rcode !== 0) {
    const meaning = RCODES[rcode]?.[1] ?? "the name server answers with an error";
    return { outcome: "failure", cause: "dns", message: `${meaning} (${rcodeName(rcode)})` };
  }
  if (records.length === 0) return { outcome: "failure", cause: "dns", message: `the name has no ${type} record` };
  const expected = check.dns_expected.map((value) => normalRecord(type, value));
  if (isMet(type, expected, records, check.dns_match_type)) return `${type} ${shown(records)}`;
  const wanted = check.dns_match_type === "any" ? "one of " : "";
  const message = `${type} is ${shown(records)} instead of ${wanted}${shown(expected)}`;
  return { outcome: "failure", cause: "body", message };
}

function isMet(
  type: DnsRecordType,
  expected: string[],
  records: string[],
  matchType: DnsCheck["dns_match_type"],
): boolean {
  if (expected.length === 0) return true;
  const isThis = (value: string, record: string) => value === record || (type === "MX" && value === mailHostOf(record));
  const isThere = (value: string) => records.some((record) => isThis(value, record));
  if (matchType === "any") return expected.some(isThere);
  const isExpected = (record: string) => expected.some((value) => isThis(value, record));
  return expected.every(isThere) && (matchType === "contains" || records.every(isExpected));
}

/** The host of `10 mail.example.com`, which a person may expect without its preference. */
function mailHostOf(record: string): string {
  return record.replace(/^\d+ /, "");
}

function shown(values: string[]): string {
  const more = values.length - SHOWN_MAX;
  const short = values.map((value) => (value.length > SHOWN_LENGTH ? `${value.slice(0, SHOWN_LENGTH)}…` : value));
  return short.slice(0, SHOWN_MAX).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** One spelling for each value, so that what a person typed can be compared with what servers and resolvers say. */
export function normalRecord(type: DnsRecordType, text: string): string {
  const trimmed = text.trim();
  switch (type) {
    case "TXT":
      return unquoted(trimmed);
    case "CAA":
      return normalCaa(trimmed);
    case "AAAA":
      return URL.canParse(`http://[${trimmed}]`) ? new URL(`http://[${trimmed}]`).hostname.slice(1, -1) : trimmed;
    default:
      return trimmed
        .toLowerCase()
        .replace(/\s+/g, " ")
        .replace(/\.(?= |$)/g, "");
  }
}

/** A text is one string or several in quotes, which belong together without a space: RFC 7208, section 3.3. */
function unquoted(text: string): string {
  if (!/^".*"$/s.test(text)) return text;
  const parts = [...text.matchAll(/"((?:[^"\\]|\\.)*)"/gs)].map((match) => match[1] ?? "");
  return parts.join("").replace(/\\(["\\])/g, "$1");
}

/** `0 issue "ca.example"`, or the generic form of RFC 3597, which some resolvers give: `\# 19 00 05 69 73 …`. */
function normalCaa(text: string): string {
  const generic = /^\\# \d+ ((?:[0-9a-f]{2} ?)+)$/i.exec(text);
  if (generic?.[1]) {
    const [flags = 0, tagLength = 0, ...rest] = Buffer.from(generic[1].replaceAll(" ", ""), "hex");
    const read = (bytes: number[]) => Buffer.from(bytes).toString("latin1");
    return `${flags} ${read(rest.slice(0, tagLength)).toLowerCase()} ${read(rest.slice(tagLength))}`;
  }
  const [, flags = "", tag = "", value = ""] = /^(\d+)\s+(\S+)\s+(.*)$/s.exec(text) ?? [];
  return flags === "" ? text : `${flags} ${tag.toLowerCase()} ${unquoted(value)}`;
}
