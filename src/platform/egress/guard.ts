import { IoFault } from "../../lib/io-fault.ts";
import { HOP_HEADER, installationId } from "../installation.ts";
import type { Settings } from "../settings.ts";
import { fetchBySocket } from "../socket-fetch.ts";
import {
  type Address,
  type AllowList,
  addressOf,
  allowableNetwork,
  allowListOf,
  isAllowable,
  isPrivateName,
  notPublic,
} from "./address.ts";
import { type Asked, dohResolver, type Resolution, type Resolve } from "./dns.ts";

/**
 * The one way out. A destination is checked twice: by its spelling when a person saves it, and by what its name resolves
 * to each time it is used. Only global unicast addresses pass; `EGRESS_ALLOW` names the operator's exceptions.
 *
 * Between the look-up and the request a name may change its address; fetch cannot pin one. That residue is the
 * platform's to stop: Workers have no route to private addresses.
 */
export type Purpose = "check" | "delivery";
export type Destination = URL | { host: string; port: number };

/** `addresses` is null where the name is left to the platform's resolver, or was not looked up. */
export type EgressAllowed = { ok: true; host: string; addresses: string[] | null; asked?: Asked };
export type EgressDenied = {
  ok: false;
  fault: "forbidden" | "dns" | "unavailable";
  reason: string;
  /** What an operator may allow in the dashboard, so that the destination passes. */
  allowable?: string | null;
  asked?: Asked;
};
export type EgressDecision = EgressAllowed | EgressDenied;

export interface EgressPolicy {
  purpose: Purpose;
  allow: AllowList;
  own_hosts: readonly string[];
}

export interface OutgoingRequest {
  method: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array | null;
  purpose: Purpose;
  signal: AbortSignal;
  /** Hears what the name was found to be, before anything is sent or refused. */
  onDecision?: (decision: EgressDecision) => void;
}

export interface Egress {
  /** The resolvers of the settings. */
  resolvers: readonly string[];
  /** What HOP_HEADER carries. */
  hop: string;
  /** Checks the spelling alone, for the moment a person saves it. */
  checkLiteral(destination: Destination, purpose: Purpose): EgressDecision;
  checkResolved(destination: Destination, purpose: Purpose, signal: AbortSignal): Promise<EgressDecision>;
  /**
   * The same way out for work whose destinations are known beforehand: their names are looked up at once, each over one
   * connection that `schedule` grants, and what is found holds for all of the work.
   */
  lookUpFirst(destinations: readonly Destination[], schedule: Schedule): PreparedEgress;
  /**
   * One request, no redirect followed; `latency_ms` runs from sending to the headers of the answer, `addresses` are those
   * that its name has, null where the platform looked it up. Throws an IoFault
   * when the destination is rejected or does not resolve, and the errors of fetch.
   */
  guardedFetch(
    url: URL,
    request: OutgoingRequest,
  ): Promise<{ response: Response; latency_ms: number; addresses: string[] | null }>;
}

export interface PreparedEgress extends Egress {
  /** Waits until the name of this destination is looked up, successfully or not. */
  lookedUp(destination: Destination): Promise<void>;
}

/** Begins a look-up when a connection is free. */
export type Schedule = (lookUp: () => Promise<Resolution>) => Promise<Resolution>;

/** Workers cannot open it: https://developers.cloudflare.com/workers/runtime-apis/tcp-sockets/#considerations */
const SMTP_PORT = 25;
/** For the look-up of a name before it is needed; each resolver has a time-out of its own. */
const LOOK_UP_MS = 10_000;

const refuse = (reason: string): EgressDenied => ({ ok: false, fault: "forbidden", reason });
const refuseAddress = (reason: string, address: Address | null): EgressDenied => ({
  ...refuse(reason),
  allowable: address && allowableNetwork(address),
});

type Literal = { host: string; address: Address | null; isAllowed: boolean };

/** Pure: what the spelling of a destination says. */
export function checkLiteral(destination: Destination, policy: EgressPolicy): EgressDecision {
  const literal = decideLiteral(destination, policy);
  return "reason" in literal ? literal : { ok: true, host: literal.host, addresses: null };
}

/** Asks the resolver unless the spelling already decides; every address of a name must be public or allowed. */
export async function checkResolved(
  destination: Destination,
  policy: EgressPolicy,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<EgressDecision> {
  const literal = decideLiteral(destination, policy);
  if ("reason" in literal) return literal;
  const { host, address, isAllowed } = literal;
  if (address) return { ok: true, host, addresses: [address.toString()] };
  if (isAllowed) return { ok: true, host, addresses: null };
  const resolution = await resolve(host, signal);
  switch (resolution.kind) {
    case "unavailable":
      return { ok: false, fault: "unavailable", reason: "no DNS resolver is reachable" };
    case "nothing":
      return withAsked({ ok: false, fault: "dns", reason: `"${host}" does not resolve` }, resolution);
    case "addresses":
      return withAsked(decideAddresses(host, resolution.addresses, policy), resolution);
  }
}

function withAsked(decision: EgressDecision, { asked }: { asked?: Asked }): EgressDecision {
  return asked ? { ...decision, asked } : decision;
}

function decideAddresses(host: string, addresses: string[], policy: EgressPolicy): EgressDecision {
  for (const text of addresses) {
    const address = addressOf(text);
    const reason = address ? notPublic(address) : "something that is not an address";
    if (reason && !(address && policy.allow.allowsAddress(address))) {
      return refuseAddress(`"${host}" resolves to ${reason}`, address);
    }
  }
  return { ok: true, host, addresses };
}

function decideLiteral(destination: Destination, policy: EgressPolicy): Literal | EgressDenied {
  const url = destination instanceof URL ? destination : urlOf(destination);
  if (!url) return refuse("it has no valid host name");
  if (url.username !== "" || url.password !== "") return refuse("it must not contain a user name or password");
  if (url.protocol !== "https:" && url.protocol !== "http:") return refuse("only http and https can be reached");
  const port = destination instanceof URL ? Number(url.port) : destination.port;
  if (port === SMTP_PORT) return refuse("port 25 cannot be reached from here: use 587 or 465, or an agent");
  const literal = decideHost(url.hostname, policy);
  if ("reason" in literal || literal.isAllowed) return literal;
  if (policy.own_hosts.includes(literal.host)) return refuse(`"${literal.host}" is this service itself`);
  if (policy.purpose === "delivery" && url.protocol !== "https:") return refuse("it must be an https address");
  return literal;
}

function decideHost(hostname: string, policy: EgressPolicy): Literal | EgressDenied {
  const address = addressOf(hostname);
  if (address) {
    const isAllowed = policy.allow.allowsAddress(address);
    const reason = notPublic(address);
    if (reason && !isAllowed) return refuseAddress(`"${hostname}" is ${reason}`, address);
    return { host: hostname, address, isAllowed };
  }
  const host = hostname.replace(/\.$/, "");
  if (policy.allow.allowsName(host)) return { host, address, isAllowed: true };
  const labels = host.split(".");
  if (host.length > 253 || labels.some((label) => label === "" || label.length > 63)) {
    return refuse("it has no valid host name");
  }
  if (isPrivateName(host)) {
    return { ...refuse(`"${host}" is not a public host name`), allowable: isAllowable(host) ? host : null };
  }
  return { host, address, isAllowed: false };
}

/** Brings a bare host through the URL parser, which knows every spelling of an IPv4 address: 0x7f.1, 2130706433, … */
function urlOf({ host, port }: { host: string; port: number }): URL | null {
  if (/[\s/?#@\\]/.test(host)) return null;
  const bracketed = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  const text = `https://${bracketed}:${port}`;
  return URL.canParse(text) ? new URL(text) : null;
}

/** How the outside is reached; tests put their own in place. */
export interface NetworkAccess {
  fetch: (url: URL, init: RequestInit) => Promise<Response>;
  now: () => number;
}

/** The network as a Worker has it: requests to literal addresses go over a socket, all others by fetch. */
export const WORKER_NETWORK: NetworkAccess = {
  fetch: (url, init) => (addressOf(url.hostname) ? fetchBySocket(url, init) : fetch(url, init)),
  now: () => Date.now(),
};
const built = new WeakMap<Settings, Egress>();

/** The way out under these settings; one per isolate, because it remembers what names resolved to. */
export function egressOf(settings: Settings): Egress {
  const known = built.get(settings) ?? buildEgress(settings, WORKER_NETWORK);
  built.set(settings, known);
  return known;
}

/**
 * Checks the spelling of an address that a request wants to store. Where PUBLIC_URL is empty, the host of the request is the
 * service's own.
 */
export function checkGiven(
  { settings, publicUrl }: { settings: Settings; publicUrl: string },
  destination: Destination,
  purpose: Purpose,
): EgressDecision {
  const own_hosts = hostsOf([settings.PUBLIC_URL, publicUrl]);
  return checkLiteral(destination, { purpose, allow: allowListOf(settings.EGRESS_ALLOW), own_hosts });
}

function hostsOf(urls: readonly string[]): string[] {
  return urls.filter((url) => URL.canParse(url)).map((url) => new URL(url).hostname);
}

/** The way out to a host that the operator names in a setting of its own: trusted like one of EGRESS_ALLOW. */
export function egressTo(settings: Settings, host: string): Egress {
  return buildEgress({ ...settings, EGRESS_ALLOW: [...settings.EGRESS_ALLOW, host] }, WORKER_NETWORK);
}

export function buildEgress(
  settings: Pick<Settings, "EGRESS_ALLOW" | "DOH_RESOLVERS" | "PUBLIC_URL" | "ROOT_SECRET">,
  outside: NetworkAccess,
): Egress {
  const allow = allowListOf(settings.EGRESS_ALLOW);
  const own_hosts = hostsOf([settings.PUBLIC_URL]);
  const hop = installationId(settings.ROOT_SECRET);
  const resolveHost = dohResolver({ ...outside, resolvers: settings.DOH_RESOLVERS });
  const nameOf = (destination: Destination) => nameToLookUp(destination, { purpose: "check", allow, own_hosts });

  const open = (resolve: Resolve): Egress => ({
    resolvers: settings.DOH_RESOLVERS,
    hop,
    checkLiteral: (destination, purpose) => checkLiteral(destination, { purpose, allow, own_hosts }),
    checkResolved: (destination, purpose, signal) =>
      checkResolved(destination, { purpose, allow, own_hosts }, resolve, signal),
    lookUpFirst(destinations, schedule) {
      const names = new Set(destinations.flatMap((destination) => nameOf(destination) ?? []));
      const lookUp = (name: string) => resolveHost(name, AbortSignal.timeout(LOOK_UP_MS), { one_at_a_time: true });
      const found = new Map([...names].map((name) => [name, schedule(() => lookUp(name))]));
      const known = async (name: string, signal: AbortSignal) => {
        const resolution = await found.get(name);
        return resolution && resolution.kind !== "unavailable"
          ? resolution
          : resolveHost(name, signal, { one_at_a_time: true });
      };
      return { ...open(known), lookedUp: async (destination) => void (await found.get(nameOf(destination) ?? "")) };
    },
    async guardedFetch(url, { method, headers = {}, body = null, purpose, signal, onDecision }) {
      const verdict = await checkResolved(url, { purpose, allow, own_hosts }, resolve, signal);
      onDecision?.(verdict);
      if (!verdict.ok) throw new IoFault(verdict.fault, verdict.reason);
      const sentAt = outside.now();
      const response = await outside.fetch(url, {
        method,
        headers: { ...headers, [HOP_HEADER]: hop },
        body,
        signal,
        redirect: "manual",
        cache: "no-store",
      });
      return { response, latency_ms: outside.now() - sentAt, addresses: verdict.addresses };
    },
  });
  return open(resolveHost);
}

/** Null where the spelling decides: an address, a name that is trusted or refused. */
function nameToLookUp(destination: Destination, policy: EgressPolicy): string | null {
  const literal = decideLiteral(destination, policy);
  return "reason" in literal || literal.address || literal.isAllowed ? null : literal.host;
}
