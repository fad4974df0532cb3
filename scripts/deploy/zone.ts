import { Refusal } from "../local/command-error.ts";
import { findOne, listAll, type Platform } from "./platform.ts";

/** The host that domains of status pages point to; its record has no address because a Worker answers. */
export function fallbackOrigin(zone: string): string {
  return `pages.${zone}`;
}

/** Of a record that only makes its name answer. */
const NO_ADDRESS = "100::";

interface DnsRecord {
  id: string;
  type: string;
  content: string;
}

function listRecords(platform: Platform, zone_id: string, name: string): Promise<DnsRecord[]> {
  return listAll<DnsRecord>(platform, `/zones/${zone_id}/dns_records?name=${name}`);
}

export function zoneOf(origin: string): string {
  return origin.replace(/^pages\./, "");
}

interface Route {
  id: string;
  pattern: string;
  script?: string;
}

async function findZoneId(platform: Platform, zone: string): Promise<string | undefined> {
  const zones = await listAll<{ id: string; name: string }>(platform, `/zones?name=${zone}`);
  return zones.find(({ name }) => name === zone)?.id;
}

export async function getZoneId(platform: Platform, zone: string): Promise<string> {
  const zone_id = await findZoneId(platform, zone);
  if (!zone_id) throw new Refusal(`the account has no zone ${zone}: add it to Cloudflare, or leave --zone out`);
  return zone_id;
}

interface ZoneInput {
  zone: string;
  zone_id: string;
  worker: string;
  /** The service's own host. */
  domain: string | undefined;
}

/** Exceptions first: between the two steps the zone's own names would reach the Worker. */
function routesOf({ zone, worker, domain }: ZoneInput): Omit<Route, "id">[] {
  const own = domain === zone || domain?.endsWith(`.${zone}`) ? [{ pattern: `${domain}/*`, script: worker }] : [];
  return [...own, ...exceptionsOf(zone).map((pattern) => ({ pattern })), { pattern: "*/*", script: worker }].filter(
    ({ pattern }, index, all) => all.findIndex((route) => route.pattern === pattern) === index,
  );
}

/** The zone's own names, which reach no Worker. */
const exceptionsOf = (zone: string) => [`${zone}/*`, `*.${zone}/*`];

/**
 * Cloudflare for SaaS on this zone: the domains of status pages reach the Worker, and the zone's own names stay as they
 * are. Repeats without effect.
 */
export async function setUpZone(platform: Platform, input: ZoneInput): Promise<void> {
  const { zone, zone_id, worker } = input;
  const origin = fallbackOrigin(zone);
  const routes = await listAll<Route>(platform, `/zones/${zone_id}/workers/routes`);
  const taken = routes.find(({ pattern, script }) => pattern === "*/*" && script !== worker);
  if (taken) throw new Refusal(`the route */* of ${zone} leads to ${taken.script ?? "no Worker"}: use another zone`);

  const records = await listRecords(platform, zone_id, origin);
  const other = records.find(({ content }) => content !== NO_ADDRESS);
  if (other) throw new Refusal(`${origin} leads to ${other.type} ${other.content} already: use another zone`);
  if (records.length === 0) {
    const content = NO_ADDRESS;
    const record = { type: "AAAA", name: origin, content, proxied: true, comment: "Domains of status pages" };
    await platform.api("POST", `/zones/${zone_id}/dns_records`, record);
  }
  const fallback = `/zones/${zone_id}/custom_hostnames/fallback_origin`;
  const present = await findOne<{ origin?: string }>(platform, fallback);
  if (present?.origin && present.origin !== origin) {
    throw new Refusal(`${zone} already has the fallback origin ${present.origin}: use another zone`);
  }
  if (!present?.origin) await platform.api("PUT", fallback, { origin });
  for (const route of routesOf(input)) {
    if (routes.some(({ pattern }) => pattern === route.pattern)) continue;
    await platform.api("POST", `/zones/${zone_id}/workers/routes`, route);
  }
}

/** Takes back every route to the Worker, also of an earlier domain, then the exceptions. A zone that left has none. */
export async function clearZone(
  platform: Platform,
  { zone, worker }: Pick<ZoneInput, "zone" | "worker">,
): Promise<void> {
  const zone_id = await findZoneId(platform, zone);
  if (!zone_id) return;
  const origin = fallbackOrigin(zone);
  const routes = await listAll<Route>(platform, `/zones/${zone_id}/workers/routes`);
  const own = routes.filter(({ script }) => script === worker);
  const exceptions = routes.filter(({ pattern, script }) => !script && exceptionsOf(zone).includes(pattern));
  for (const { id } of [...own, ...exceptions]) await platform.api("DELETE", `/zones/${zone_id}/workers/routes/${id}`);
  const fallback = `/zones/${zone_id}/custom_hostnames/fallback_origin`;
  const present = await findOne<{ origin?: string }>(platform, fallback);
  if (present?.origin === origin) await platform.api("DELETE", fallback);
  for (const { id, content } of await listRecords(platform, zone_id, origin)) {
    if (content !== NO_ADDRESS) continue;
    await platform.api("DELETE", `/zones/${zone_id}/dns_records/${id}`);
  }
}
