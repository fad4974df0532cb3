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

const HOST_NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/i;

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

/** Networks of homes, companies and of the machine itself. What is link-local answers for a cloud, as do AWS_V6 and CLOUD_NAMES. */
const LOCAL: Range[] = ["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"].map((range) =>
  ipaddr.parseCIDR(range),
);
const AWS_V6 = ipaddr.parseCIDR("fd00:ec2::/32");
const CLOUD_NAMES = ["metadata", "metadata.google.internal"];
/** One site's; the whole of fc00::/7 is everybody's. */
const LOCAL_BITS_MIN = { ipv4: 8, ipv6: 48 };
/** Of the network that an address is supposed to be in. */
const SUPPOSED_BITS = { ipv4: 24, ipv6: 64 };

/** Names that mean this machine or its network; `.onion` means neither, but is as little public. */
const LOCAL_SUFFIXES = ["localhost", "local", "internal", "home.arpa"];
const isUnder = (name: string, suffixes: readonly string[]) =>
  suffixes.some((suffix) => name === suffix || name.endsWith(`.${suffix}`));
const isLocalName = (name: string) => !name.includes(".") || isUnder(name, LOCAL_SUFFIXES);
export const isPrivateName = (name: string) => isLocalName(name) || isUnder(name, ["onion"]);

/** Whether operators may have it reached by a setting in the dashboard; EGRESS_ALLOW takes anything. */
export function isAllowable(entry: string): boolean {
  if (addressOf(entry) || ipaddr.isValidCIDR(entry)) {
    const [network, bits] = rangeOf(entry);
    const isLocal =
      LOCAL.some((range) => isWithin(network, range) && bits >= range[1]) && bits >= LOCAL_BITS_MIN[network.kind()];
    return isLocal && !isWithin(network, AWS_V6);
  }
  return HOST_NAME.test(entry) && !entry.endsWith(".") && isLocalName(entry) && !CLOUD_NAMES.includes(entry);
}

/** The network to allow so that an address is reached: of loopback that address alone; null where none may be. */
export function allowableNetwork(address: Address): string | null {
  const text = address.toString();
  if (!isAllowable(text)) return null;
  if (address.range() === "loopback") return text;
  const bits = SUPPOSED_BITS[address.kind()];
  const network =
    address instanceof ipaddr.IPv4
      ? ipaddr.IPv4.networkAddressFromCIDR(`${text}/${bits}`)
      : ipaddr.IPv6.networkAddressFromCIDR(`${text}/${bits}`);
  return `${network}/${bits}`;
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
    else if (HOST_NAME.test(entry)) names.add(entry.toLowerCase().replace(/\.$/, ""));
    else throw new Error(`EGRESS_ALLOW: "${entry}" is neither a host name, an address nor a CIDR`);
  }
  return {
    allowsName: (name) => names.has(name),
    allowsAddress: (address) => ranges.some((range) => isWithin(address, range)),
  };
}
