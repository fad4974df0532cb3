import { type Answer, decode, RECURSION_DESIRED, streamEncode } from "dns-packet";
import { z } from "zod";
import type { DnsRecordType } from "../contract/dns-check.ts";
import { type Conversation, protocolFault } from "./conversation.ts";
import { type DnsReply, normalRecord } from "./dns-answer.ts";
import { discard, readResponseBody } from "./http-body.ts";
import type { NetIo } from "./port.ts";

/** The two ways to a name server: a resolver over HTTPS, any server over TCP. */
export interface Question {
  name: string;
  type: DnsRecordType;
}

const TYPE_NUMBERS: Readonly<Record<DnsRecordType, number>> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  CAA: 257,
};
/** One question per connection, so that its id needs no randomness. */
const ID = 1;
const RCODE = 0xf;

/** https://developers.cloudflare.com/1.1.1.1/encryption/dns-over-https/make-api-requests/dns-json/ */
const JsonReply = z.object({
  Status: z.int(),
  Answer: z.array(z.object({ type: z.int(), TTL: z.number().default(0), data: z.string() })).default([]),
});

/** Rejects when the resolver cannot be asked or talks nonsense, neither of which says anything about the name. */
export async function queryResolver(
  io: NetIo,
  resolver: string,
  { name, type }: Question,
  signal: AbortSignal,
): Promise<{ reply: DnsReply; latency_ms: number }> {
  const url = new URL(resolver);
  url.searchParams.set("name", name);
  url.searchParams.set("type", type);
  const headers = { accept: "application/dns-json" };
  const response = await io.fetch({ url, method: "GET", headers, body: null, verify_tls: true, signal });
  if (response.status !== 200) {
    await discard(response.body);
    throw new Error(`resolver answered HTTP ${response.status}`);
  }
  const { text } = await readResponseBody(response.body, null);
  const { Status, Answer: answers } = JsonReply.parse(JSON.parse(text));
  // The chain of aliases comes with the records it leads to.
  const wanted = answers.filter((answer) => answer.type === TYPE_NUMBERS[type]);
  const records = wanted.map(({ data, TTL }) => ({ text: data, ttl: TTL }));
  return { reply: replyOf(type, Status, records), latency_ms: response.latency_ms };
}

/** RFC 7766: each message follows its length. */
export async function queryServer(conversation: Conversation, { name, type }: Question): Promise<DnsReply> {
  await conversation.write(
    streamEncode({ type: "query", id: ID, flags: RECURSION_DESIRED, questions: [{ type, name }] }),
  );
  const length = Buffer.from(await conversation.readBytes(2)).readUInt16BE(0);
  const answer = decoded(Buffer.from(await conversation.readBytes(length)));
  const [asked] = answer.questions ?? [];
  const isOurs = answer.type === "response" && answer.id === ID && (!asked || asked.name.toLowerCase() === name);
  if (!isOurs) throw protocolFault("DNS");
  const wanted = (answer.answers ?? []).filter((record) => record.type === type);
  const records = wanted.map((record) => ({ text: zoneText(record), ttl: "ttl" in record ? (record.ttl ?? 0) : 0 }));
  return replyOf(type, (answer.flags ?? 0) & RCODE, records);
}

function decoded(bytes: Buffer) {
  try {
    return decode(bytes);
  } catch {
    throw protocolFault("DNS");
  }
}

function replyOf(type: DnsRecordType, rcode: number, records: { text: string; ttl: number }[]): DnsReply {
  return {
    rcode,
    records: records.map(({ text }) => normalRecord(type, text)).toSorted(),
    ttl_seconds: records.length === 0 ? null : Math.min(...records.map(({ ttl }) => ttl)),
  };
}

function zoneText(record: Answer): string {
  switch (record.type) {
    case "A":
    case "AAAA":
    case "CNAME":
    case "NS":
    case "PTR":
      return record.data;
    case "MX":
      return `${record.data.preference ?? 0} ${record.data.exchange}`;
    case "SRV":
      return `${record.data.priority ?? 0} ${record.data.weight ?? 0} ${record.data.port} ${record.data.target}`;
    case "SOA": {
      const { mname, rname, serial = 0, refresh = 0, retry = 0, expire = 0, minimum = 0 } = record.data;
      return `${mname} ${rname} ${serial} ${refresh} ${retry} ${expire} ${minimum}`;
    }
    case "TXT":
      return [record.data]
        .flat()
        .map((part) => part.toString())
        .join("");
    case "CAA":
      return `${record.data.flags ?? 0} ${record.data.tag} ${record.data.value}`;
    default:
      return "";
  }
}
