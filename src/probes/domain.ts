import { z } from "zod";
import type { ProbeResult } from "../contract/check.ts";
import { WARNING_DAYS } from "../domain/expiry-notices.ts";
import { spanOf } from "../lib/duration-format.ts";
import { DAY_MS } from "../lib/durations.ts";
import type { Parsed } from "../lib/parse-result.ts";
import { registeredName } from "../lib/public-suffixes.ts";
import { classifyError, resultOf } from "../net/faults.ts";
import type { NetIo } from "../net/port.ts";
import { queryRdap, rdapDirectory } from "./domain-rdap.ts";
import type { Registration } from "./domain-registration.ts";
import { queryWhois } from "./domain-whois.ts";
import type { Probe } from "./port.ts";

const DomainCheck = z.object({
  domain_expiry_warning_days: z
    .int()
    .min(0)
    .max(365)
    .nullish()
    .meta({ description: "domain: degraded when the registration ends within so many days; default 30" })
    .transform((days) => days ?? WARNING_DAYS.domain),
});
type DomainCheck = z.infer<typeof DomainCheck>;
/** States of a name that was not renewed, although registries advance its date automatically (RFC 8056). */
const LAPSED = ["redemption period", "pending delete"];

/**
 * Asks the registry: by RDAP where the zone has it, else by whois. A registry that cannot be asked or does not tell says
 * nothing about the domain. The directory of RDAP servers is kept for a day.
 */
export function buildDomainProbe(): Probe<string, DomainCheck> {
  const findServer = rdapDirectory();
  return {
    type: "domain",
    needs: ["http", "tcp"],
    timeout_seconds: 20,
    options: DomainCheck,
    parseTarget,
    destination: () => null,
    async check(name, options, io, signal) {
      const startedAt = io.now();
      try {
        const server = await findServer(io, name, signal);
        const byRdap: Registration = server
          ? await queryRdap(io, server, name, signal)
          : { kind: "unknown", reason: "its zone has no RDAP server" };
        if (byRdap.kind !== "unknown") return evaluate(name, byRdap, "rdap", options, io);
        const byWhois = await queryWhois(io, name, signal);
        if (byWhois.kind !== "unknown") return evaluate(name, byWhois, "whois", options, io);
        return unknown(`the registration of ${name} is not known: ${byRdap.reason}, and ${byWhois.reason}`);
      } catch (error) {
        const { message } = resultOf(classifyError(error, signal, io.now() - startedAt));
        return unknown(`the registry of ${name} could not be asked: ${message}`);
      }
    },
  };
}

export const domainProbe = buildDomainProbe();

/** The registrable name of a host or address: `www.example.co.uk` is registered as `example.co.uk`. */
function parseTarget(text: string): Parsed<string> {
  const bare = text.trim().replace(/^[a-z][a-z0-9+.-]*:\/\//i, "");
  const host = /^[^\s/?#@:]+(?=$|[/?#:])/.exec(bare)?.[0] ?? "";
  const name = URL.canParse(`https://${host}`) ? registeredName(new URL(`https://${host}`).hostname) : null;
  return name ? { ok: true, value: name } : { ok: false, reason: "must be a domain such as example.com" };
}

function evaluate(
  name: string,
  registration: Exclude<Registration, { kind: "unknown" }>,
  source: "rdap" | "whois",
  { domain_expiry_warning_days }: DomainCheck,
  io: NetIo,
): ProbeResult {
  const { latency_ms } = registration;
  if (registration.kind === "free") {
    return {
      outcome: "failure",
      cause: "status",
      message: `${name} is not registered`,
      latency_ms,
      details: { source },
    };
  }
  const { expires_at, registrar, states } = registration;
  const left = expires_at - io.now();
  const details = {
    domain: name,
    source,
    registrar,
    states,
    expires_at: new Date(expires_at).toISOString(),
    days_left: Math.floor(left / DAY_MS),
  };
  const lapsed = states.find((state) => LAPSED.includes(state));
  const problem = left <= 0 ? `${name} expired ${spanOf(-left)} ago` : lapsed && `${name} was not renewed: ${lapsed}`;
  if (problem) return { outcome: "failure", cause: "status", message: problem, latency_ms, details };
  const outcome = left < domain_expiry_warning_days * DAY_MS ? "slow" : "success";
  return { outcome, message: `${name} expires in ${spanOf(left)}`, latency_ms, details };
}

function unknown(message: string): ProbeResult {
  return { outcome: "error", latency_ms: null, message, details: {} };
}
