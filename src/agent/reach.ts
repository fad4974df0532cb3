import { lookup as lookUp } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import type { AgentAssignment } from "../contract/agent.ts";
import type { MonitorType } from "../contract/monitor-values.ts";
import { IoFault } from "../lib/io-fault.ts";

/**
 * What monitors may make this agent reach. The service assigns monitors, so this is decided on the host alone: by its own
 * config.json, which no answer of the service changes.
 */
export interface ReachSettings {
  /** Networks that monitors may name, as CIDR; null: all but the closed ones. */
  allow: string[] | null;
  /** Types of monitors that it checks; null: all. */
  types: MonitorType[] | null;
  /** HTTP requests only read: GET and HEAD. */
  read_only: boolean;
}

export const UNRESTRICTED: ReachSettings = { allow: null, types: null, read_only: false };

interface Network {
  address: string;
  prefix: number;
  family: "ipv4" | "ipv6";
}

/**
 * Link-local networks, and the addresses under which clouds hand credentials to any program on a host. They are reached
 * only where `allow` names a network within them, which 0.0.0.0/0 is not.
 */
const CLOSED = [
  "169.254.0.0/16",
  "fe80::/10",
  // Amazon, Google, Alibaba, Oracle and Azure.
  "fd00:ec2::254/128",
  "fd20:ce::254/128",
  "100.100.100.200/32",
  "192.0.0.192/32",
  "168.63.129.16/32",
  // The first of them as NAT64 and 6to4 write it.
  "64:ff9b::a9fe:0/112",
  "2002:a9fe::/32",
].map(parseNetwork);

export function parseNetwork(text: string): Network {
  const [address = "", digits] = text.split("/", 2);
  const version = isIP(address);
  const whole = version === 6 ? 128 : 32;
  const prefix = digits === undefined ? whole : /^\d{1,3}$/.test(digits) ? Number(digits) : -1;
  if (version === 0 || prefix < 0 || prefix > whole) throw new Error(`${text} is not a network such as 10.0.0.0/8`);
  return { address, prefix, family: version === 6 ? "ipv6" : "ipv4" };
}

function listOf(networks: readonly Network[]): BlockList {
  const list = new BlockList();
  for (const { address, prefix, family } of networks) list.addSubnet(address, prefix, family);
  return list;
}

/** An address of IPv4 that is written as one of IPv6 is judged as both. */
const contains = (list: BlockList, address: string) => list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

const closed = listOf(CLOSED);
const isWithinClosed = (network: Network) =>
  CLOSED.some((each) => network.prefix >= each.prefix && contains(listOf([each]), network.address));

export class Reach {
  readonly #settings: ReachSettings;
  readonly #allowed: BlockList | null;
  readonly #opened: BlockList;

  constructor(settings: ReachSettings) {
    const networks = (settings.allow ?? []).map(parseNetwork);
    this.#settings = settings;
    this.#allowed = settings.allow === null ? null : listOf(networks);
    this.#opened = listOf(networks.filter(isWithinClosed));
  }

  isAllowed(address: string): boolean {
    if (contains(closed, address) && !contains(this.#opened, address)) return false;
    return this.#allowed === null || contains(this.#allowed, address);
  }

  /** For what Node connects to: a name leads only to addresses that are allowed, at the moment of the connection. */
  readonly lookup: LookupFunction = (host, options, callback) => {
    lookUp(host, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const allowed = found.filter(({ address }) => this.isAllowed(address));
      const [first] = allowed;
      if (!first) return callback(refusal(host), []);
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };

  /** Refuses an address that is spelled out, which is never looked up. */
  requireHost(host: string): void {
    const bare = bareHost(host);
    if (isIP(bare) && !this.isAllowed(bare)) throw refusal(bare);
  }

  requireMethod(method: string): void {
    if (!this.#settings.read_only || method === "GET" || method === "HEAD") return;
    throw new IoFault("forbidden", `this agent only reads: its host allows no ${method}`);
  }

  /**
   * Why this agent does not check a monitor; null where it does. Clients that bring a network of their own are judged by
   * this alone, all others again at each connection.
   */
  async refusalOf({ type, target, options }: Pick<AgentAssignment, "type" | "target" | "options">) {
    const { types } = this.#settings;
    if (types !== null && !types.includes(type)) return `this agent's host allows no monitors of type ${type}`;
    const server = options.dns_server;
    const named = type === "dns" ? (typeof server === "string" ? server : "") : target;
    for (const host of hostsOf(named)) {
      const addresses = isIP(host) ? [host] : await addressesOf(host);
      if (addresses.length > 0 && !addresses.every((address) => this.isAllowed(address))) return refusal(host).message;
    }
    return null;
  }
}

const refusal = (host: string) =>
  new IoFault("forbidden", `this agent's host does not allow ${host} (see allow in config.json)`);

/** Without the brackets of a URL. */
export const bareHost = (host: string) => host.replace(/^\[|\]$/g, "");

/** The hosts of a target of any type; of `unix:///path` none. */
export function hostsOf(target: string): string[] {
  const hosts = target.split(",").map((each) => {
    const place = each.trim().replace(/^[a-z][a-z0-9+.-]*:\/\//i, "");
    const authority = place.split(/[/?#]/, 1)[0] ?? "";
    const host = authority.slice(authority.lastIndexOf("@") + 1);
    const [, bracketed] = /^\[([^\]]*)\]/.exec(host) ?? [];
    if (bracketed !== undefined) return bracketed;
    return isIP(host) ? host : host.replace(/:\d*$/, "");
  });
  return hosts.filter((host) => host !== "");
}

/** None for a name that does not resolve, which the check itself reports. */
function addressesOf(host: string): Promise<string[]> {
  return new Promise((resolve) => {
    lookUp(host, { all: true }, (error, found) => resolve(error ? [] : found.map(({ address }) => address)));
  });
}
