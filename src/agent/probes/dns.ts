import { getServers } from "node:dns";
import type { ProbeResult } from "../../contract/check.ts";
import type { DnsCheck } from "../../contract/dns-check.ts";
import { dnsProbe } from "../../probes/dns.ts";
import type { Probe } from "../../probes/port.ts";

/** Where a monitor names no server, the host's own are asked: they know the private names. */
export const agentDnsProbe: Probe<string, DnsCheck> = {
  ...(dnsProbe as Probe<string, DnsCheck>),
  async check(name, options, io, signal, context) {
    const ask = (dns_server: string) => dnsProbe.check(name, { ...options, dns_server }, io, signal, context);
    if (options.dns_server !== null) return ask(options.dns_server);
    let result: ProbeResult = {
      outcome: "error",
      latency_ms: null,
      message: "this host has no name server (see /etc/resolv.conf)",
      details: {},
    };
    for (const server of getServers()) {
      result = await ask(server.includes(":") && !server.startsWith("[") ? `[${server}]` : server);
      if (result.outcome === "success" || signal.aborted) break;
      // A host's own server that does not answer says nothing about the name.
      if (result.cause === "connect" || result.cause === "timeout") {
        result = { ...result, outcome: "error", message: "this host's name servers do not answer over TCP" };
      } else break;
    }
    return result;
  },
};
