import type { ProbeResult } from "../contract/check.ts";
import { DnsCheck } from "../contract/dns-check.ts";
import type { Parsed } from "../lib/parse-result.ts";
import { converse } from "../net/conversation.ts";
import { type DnsReply, evaluateReply, rcodeName } from "../net/dns-answer.ts";
import { type Question, queryResolver, queryServer } from "../net/dns-transport.ts";
import type { NetIo } from "../net/port.ts";
import type { Probe } from "./port.ts";
import { parseServer } from "./server-target.ts";

const SERVER = { schemes: { dns: { port: 53, tls: "off" } } } as const;
/** Leaves time for the next resolver. */
const RESOLVER_TIMEOUT_MS = 3000;
const SERVFAIL = 2;
const REFUSED = 5;
const RECORDS_MAX = 20;
const RECORD_LENGTH_MAX = 255;

const options = DnsCheck.superRefine(({ dns_server }, ctx) => {
  const server = dns_server === null ? null : parseServer(dns_server, SERVER);
  if (server?.ok === false)
    ctx.addIssue({ code: "custom", message: `dns_server ${server.reason}`, path: ["dns_server"] });
});

export const dnsProbe: Probe<string, DnsCheck> = {
  type: "dns",
  needs: ["http", "tcp"],
  timeout_seconds: 10,
  options,
  parseTarget: parseName,
  destination: (_target, check) => serverOf(check),
  check(name, check, io, signal) {
    const question = { name, type: check.dns_record_type };
    const server = serverOf(check);
    if (!server) return checkByResolvers(question, check, io, signal);
    return converse({ ...server, tls: "off" }, io, signal, async (conversation, details) => {
      const reply = await queryServer(conversation, question);
      Object.assign(details, detailsOf(reply));
      return evaluateReply(reply, check);
    });
  },
};

/** A name in the form that goes over the wire; names of services such as `_dmarc.example.com` are taken too. */
function parseName(text: string): Parsed<string> {
  const bare = text
    .trim()
    .replace(/^dns:\/\//i, "")
    .replace(/\.$/, "");
  const refusal = { ok: false, reason: "must be a domain name" } as const;
  if (bare === "" || /[\s/?#@:\\[\]]/.test(bare) || !URL.canParse(`http://${bare}`)) return refusal;
  const name = new URL(`http://${bare}`).hostname;
  const isName = name.length <= 253 && name.split(".").every((label) => /^[a-z0-9_*-]{1,63}$/.test(label));
  return isName && !/^[\d.]+$/.test(name) ? { ok: true, value: name } : refusal;
}

function serverOf({ dns_server }: DnsCheck): { host: string; port: number } | null {
  const server = dns_server === null ? null : parseServer(dns_server, SERVER);
  return server?.ok ? { host: server.value.host, port: server.value.port } : null;
}

/**
 * Asks one resolver after the other until one has something to say about the name. That none can be asked is our own
 * misfortune; that all of them fail on the name is the name's.
 */
async function checkByResolvers(
  question: Question,
  check: DnsCheck,
  io: NetIo,
  signal: AbortSignal,
): Promise<ProbeResult> {
  let result: ProbeResult = {
    outcome: "error",
    latency_ms: null,
    message: "no DNS resolver is reachable",
    details: {},
  };
  for (const resolver of io.resolvers) {
    const within = AbortSignal.any([signal, AbortSignal.timeout(RESOLVER_TIMEOUT_MS)]);
    try {
      const { reply, latency_ms } = await queryResolver(io, resolver, question, within);
      const verdict = evaluateReply(reply, check);
      const details = { ...detailsOf(reply), resolver: new URL(resolver).hostname };
      const finding = typeof verdict === "string" ? { outcome: "success" as const, message: verdict } : verdict;
      result = { ...finding, latency_ms, details };
      if (reply.rcode !== SERVFAIL && reply.rcode !== REFUSED) return result;
    } catch {
      if (signal.aborted) break;
    }
  }
  return result;
}

function detailsOf({ rcode, records, ttl_seconds }: DnsReply): Record<string, unknown> {
  const kept = records.slice(0, RECORDS_MAX).map((record) => record.slice(0, RECORD_LENGTH_MAX));
  return { rcode: rcodeName(rcode), records: kept, ttl_seconds };
}
