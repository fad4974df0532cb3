import { Refusal } from "../local/command-error.ts";
import * as account from "./account.ts";
import { findOne, listAll, type Platform, PlatformError } from "./platform.ts";
import type { DeploymentRecord } from "./record.ts";
import { remoteDatabase } from "./remote-database.ts";

/** What a name of the account leads to, before a deployment uses it as its own. */
export interface Holdings {
  name: string;
  account_id: string;
  record: DeploymentRecord;
  database_id: string | undefined;
  namespace_id: string | undefined;
}

const NAMESPACE_KEYS = "page:";

/**
 * Refuses a Worker, database or namespace of the deployment's name that another service made: a deployment would replace the
 * Worker, and removing the deployment would delete all three.
 */
export async function refuseForeign(platform: Platform, holdings: Holdings): Promise<void> {
  const { name, account_id, record, database_id, namespace_id } = holdings;
  const refuse = (thing: string) => {
    throw new Refusal(`the account has a ${thing} that is not of this service: give this deployment another --name`);
  };
  const bindings = await account.listBindings(platform, account_id, name);
  if (bindings && !bindings.some(({ class_name }) => class_name === "MonitorObject")) refuse(`Worker ${name}`);
  const isKnown = (id: string, kept: string | undefined) =>
    id === kept || bindings?.some((binding) => [binding.id, binding.database_id, binding.namespace_id].includes(id));
  if (database_id && !isKnown(database_id, record.database_id)) {
    if (!(await isOurDatabase(platform, account_id, database_id))) refuse(`database ${name}`);
  }
  if (namespace_id && !isKnown(namespace_id, record.namespace_id)) {
    if (!(await isOurNamespace(platform, account_id, namespace_id))) refuse(`namespace ${name}-pages`);
  }
}

/** Empty, or with our tables: a first deployment that broke off left it so. */
async function isOurDatabase(platform: Platform, account_id: string, database_id: string): Promise<boolean> {
  const sql = "SELECT name FROM sqlite_master WHERE type = 'table' LIMIT 500";
  const [rows] = await remoteDatabase(platform, { account_id, database_id })([{ sql, params: [] }]);
  const tables = (rows ?? [])
    .map((row) => String(row.name))
    .filter((table) => !/^(?:sqlite_|_cf_|d1_migrations$)/.test(table));
  return tables.length === 0 || ["check_groups", "status_pages"].every((table) => tables.includes(table));
}

async function isOurNamespace(platform: Platform, account_id: string, namespace_id: string): Promise<boolean> {
  const { entries } = await platform.list(
    `/accounts/${account_id}/storage/kv/namespaces/${namespace_id}/keys?limit=10`,
  );
  return (entries as { name: string }[]).every(({ name }) => name.startsWith(NAMESPACE_KEYS));
}

/**
 * Refuses a host that serves something already, because wrangler replaces the records of a custom domain without a question
 * where nobody sits at a terminal.
 */
export async function refuseTakenHost(
  platform: Platform,
  { account_id, worker, host }: { account_id: string; worker: string; host: string },
): Promise<void> {
  type Domain = { hostname: string; service: string };
  const domains = await listAll<Domain>(platform, `/accounts/${account_id}/workers/domains?hostname=${host}`);
  const domain = domains.find(({ hostname }) => hostname === host);
  if (domain?.service === worker) return;
  const use = domain ? `the Worker ${domain.service}` : await findAddress(platform, host);
  if (use) throw new Refusal(`${host} leads to ${use} already: give another --domain, or --take-over to replace that`);
}

/** Where a host leads by its zone's records, or by public DNS where the login may not read them. */
async function findAddress(platform: Platform, host: string): Promise<string | undefined> {
  const zone = await findZoneOf(platform, host);
  if (!zone) throw new Refusal(`the account has no zone for ${host}: add it to Cloudflare, or leave --domain out`);
  type DnsRecord = { type: string; name: string; content?: string };
  try {
    const records = await listAll<DnsRecord>(platform, `/zones/${zone.id}/dns_records?name=${host}`);
    const record = records.find(({ type }) => ["A", "AAAA", "CNAME"].includes(type));
    return record && `${record.type} ${record.content}`;
  } catch (error) {
    if (!(error instanceof PlatformError && [401, 403].includes(error.status))) throw error;
  }
  const response = await platform.fetch(`https://cloudflare-dns.com/dns-query?name=${host}&type=A`, {
    headers: { accept: "application/dns-json" },
  });
  const { Answer: answers = [] } = (await response.json()) as { Answer?: { data: string }[] };
  return answers[0]?.data;
}

async function findZoneOf(platform: Platform, host: string): Promise<{ id: string } | undefined> {
  const labels = host.split(".");
  for (let at = 0; at < labels.length - 1; at++) {
    const zone = labels.slice(at).join(".");
    const zones = await listAll<{ id: string; name: string }>(platform, `/zones?name=${zone}`);
    const found = zones.find(({ name }) => name === zone);
    if (found) return found;
  }
  return undefined;
}

/** Cloud regions near which a Worker can be placed; undefined where the API does not say. */
export async function listPlacements(platform: Platform, account_id: string): Promise<string[] | undefined> {
  type Providers = { providers?: { id: string; regions: (string | { id: string })[] }[] };
  try {
    const found = await findOne<Providers>(platform, `/accounts/${account_id}/workers/placement/regions`);
    return found?.providers?.flatMap(({ id: provider, regions }) =>
      regions.map((region) => {
        const id = typeof region === "string" ? region : region.id;
        return id.includes(":") ? id : `${provider}:${id}`;
      }),
    );
  } catch (error) {
    if (error instanceof PlatformError) return undefined;
    throw error;
  }
}
