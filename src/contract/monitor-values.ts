/** Closed lists about monitors; their Zod enums and types are derived from them. */

export const MONITOR_TYPES = [
  "http",
  "https",
  "icmp",
  "ping",
  "tcp",
  "udp",
  "dns",
  "smtp",
  "pop3",
  "imap",
  "telnet",
  "postgres",
  "mysql",
  "redis",
  "ssl",
  "domain",
  "agent",
  "heartbeat",
  "api",
  "game_server",
  "composite",
  "docker",
  "podman",
  "docker_swarm",
  "kubernetes",
  "proxmox",
  "vmware",
  "ceph",
  "rabbitmq",
  "kafka",
  "mqtt",
  "snmp",
  "network_device",
] as const;
export type MonitorType = (typeof MONITOR_TYPES)[number];

export const MONITOR_STATUSES = ["up", "down", "degraded", "paused", "pending", "unknown"] as const;
export type MonitorStatus = (typeof MONITOR_STATUSES)[number];

export const HTTP_METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"] as const;

export const BODY_MATCH_TYPES = ["contains", "exact", "regex", "not_contains"] as const;

export const REGION_POLICIES = [
  "majority",
  "any",
  "all",
  "at_least:1",
  "at_least:2",
  "at_least:3",
  "at_least:4",
  "at_least:5",
  "at_least:6",
  "at_least:7",
  "at_least:8",
  "at_least:9",
  "at_least:10",
] as const;
export type RegionPolicy = (typeof REGION_POLICIES)[number];

/** The number of a policy `at_least:<n>`; null of the others. */
export function atLeastOf(policy: RegionPolicy): number | null {
  const [name, number] = policy.split(":");
  return name === "at_least" ? Number(number) : null;
}

/** Cloudflare's location hints. https://developers.cloudflare.com/durable-objects/reference/data-location/ */
export const REGIONS = ["wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me"] as const;
export type Region = (typeof REGIONS)[number];

const REGION_NAMES: Readonly<Record<Region, string>> = {
  wnam: "Western North America",
  enam: "Eastern North America",
  sam: "South America",
  weur: "Western Europe",
  eeur: "Eastern Europe",
  apac: "Asia-Pacific",
  oc: "Oceania",
  afr: "Africa",
  me: "Middle East",
};

/** A region in words; what no region is stays as it is. */
export function regionName(name: string): string {
  const region = REGIONS.find((each) => each === name);
  return region ? REGION_NAMES[region] : name;
}

export const INCIDENT_SEVERITIES = ["minor", "major", "critical"] as const;
export type IncidentSeverity = (typeof INCIDENT_SEVERITIES)[number];

export const GAME_TYPES = ["fivem", "minecraft", "rust", "cs2", "ark", "valheim", "custom"] as const;
export type GameType = (typeof GAME_TYPES)[number];

export const QUERY_METHODS = ["query", "rest_api", "push", "tcp_connect"] as const;
