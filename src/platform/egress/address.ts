import ipaddr from "ipaddr.js";

/** Addresses: which are public, which the operator allows, which belong to Cloudflare. No names, no network. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

const WORDS: Record<string, string> = {
  loopback: "a loopback address",
  private: "a private address",
  uniqueLocal: "a private address",
  linkLocal: "a link-local address",
  carrierGradeNat: "a carrier-grade NAT address",
  multicast: "a multicast address",
  broadcast: "a broadcast address",
};

/** All IPv6 addresses assigned for global use. https://www.iana.org/assignments/ipv6-address-space */
const GLOBAL_V6 = ipaddr.parseCIDR("2000::/3");

/** Looks public but answers only inside a cloud: the Azure platform's own address. */
const CLOUD_INTERNAL = ipaddr.parseCIDR("168.63.129.16/32");

/**
 * Workers may not open raw connections to these. https://www.cloudflare.com/ips and the addresses of 1.1.1.1.
 */
const CLOUDFLARE: Range[] = [
  ...["173.245.48.0/20", "103.21.244.0/22", "103.22.200.0/22", "103.31.4.0/22", "141.101.64.0/18", "108.162.192.0/18"],
  ...["190.93.240.0/20", "188.114.96.0/20", "197.234.240.0/22", "198.41.128.0/17", "162.158.0.0/15", "104.16.0.0/13"],
  ...["104.24.0.0/14", "172.64.0.0/13", "131.0.72.0/22", "1.1.1.0/24", "1.0.0.0/24"],
  ...["2400:cb00::/32", "2606:4700::/32", "2803:f800::/32", "2405:b500::/32", "2405:8100::/32", "2a06:98c0::/29"],
  "2c0f:f248::/32",
].map((range) => ipaddr.parseCIDR(range));

/** What literals consist of; a zone may follow an IPv6 address. */
const ADDRESS_LETTERS = /^\[?[\da-f:.]+(?:%[^\]]*)?\]?$/i;

/** Reads a literal in a URL's form; an IPv4-mapped IPv6 address comes out as the IPv4 address it means. */
export function addressOf(host: string): Address | null {
  // Every check asks this of its host, and the parser throws at most names.
  if (!ADDRESS_LETTERS.test(host)) return null;
  const bare = host.startsWith("[") ? host.slice(1, -1) : host;
  return ipaddr.isValid(bare) && (bare.includes(":") || ipaddr.IPv4.isValidFourPartDecimal(bare))
    ? ipaddr.process(bare)
    : null;
}

/**
 * Says what the address is when it is not a global unicast one, else null. Addresses that only translate to IPv4
 * (compatible, NAT64, 6to4, Teredo) are always rejected: no public service uses one.
 */
export function notPublic(address: Address): string | null {
  const range = address.range();
  if (range !== "unicast") return WORDS[range] ?? "a reserved address";
  if (isWithin(address, CLOUD_INTERNAL)) return "a reserved address";
  return address.kind() === "ipv4" || isWithin(address, GLOBAL_V6) ? null : "a reserved address";
}

export function isCloudflare(address: Address): boolean {
  return CLOUDFLARE.some((range) => isWithin(address, range));
}

function isWithin(address: Address, [network, bits]: Range): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

/** Whether an address is one of these, or within one of these networks. */
export function isInNetworks(ip: string, networks: readonly string[]): boolean {
  const address = addressOf(ip);
  return address !== null && networks.some((network) => isWithin(address, rangeOf(network)));
}

function rangeOf(network: string): Range {
  const address = addressOf(network);
  return address ? [address, address.kind() === "ipv4" ? 32 : 128] : ipaddr.parseCIDR(network);
}

/** The operator's exceptions, parsed. */
export interface AllowList {
  allowsName(name: string): boolean;
  allowsAddress(address: Address): boolean;
}

/** Throws on an entry that is neither a host name, an address nor a CIDR. */
export function allowListOf(entries: readonly string[]): AllowList {
  const names = new Set<string>();
  const ranges: Range[] = [];
  for (const entry of entries) {
    if (addressOf(entry) || ipaddr.isValidCIDR(entry)) ranges.push(rangeOf(entry));
    else if (/^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/i.test(entry)) names.add(entry.toLowerCase().replace(/\.$/, ""));
    else throw new Error(`EGRESS_ALLOW: "${entry}" is neither a host name, an address nor a CIDR`);
  }
  return {
    allowsName: (name) => names.has(name),
    allowsAddress: (address) => ranges.some((range) => isWithin(address, range)),
  };
}
