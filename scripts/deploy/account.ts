import { REGIONS } from "../../src/contract/monitor-values.ts";
import { Refusal } from "../local/command-error.ts";
import { findOne, listAll, type Platform, PlatformError } from "./platform.ts";
import { checkerName } from "./regions.ts";

/** Parts of the account that a deployment is made of. Each is found by its name and made where it is missing. */

export async function findAccountId(platform: Platform, env: NodeJS.ProcessEnv): Promise<string> {
  if (env.CLOUDFLARE_ACCOUNT_ID) return env.CLOUDFLARE_ACCOUNT_ID;
  const accounts = await listAll<{ id: string; name: string }>(platform, "/accounts");
  const [only, ...others] = accounts;
  if (!only) throw new Refusal("the API token belongs to no account: set CLOUDFLARE_ACCOUNT_ID");
  if (others.length === 0) return only.id;
  const names = accounts.map(({ id, name }) => `  ${id}  ${name}`).join("\n");
  throw new Refusal(`several accounts: set CLOUDFLARE_ACCOUNT_ID to one of\n${names}`);
}

/**
 * Names every permission whose things the login may not even list, before anything is made. Whether it may change them only
 * a change shows: the API has no question for it.
 */
export async function refuseMissingPermissions(platform: Platform, account_id: string, name: string): Promise<void> {
  const reads = {
    D1: () => findDatabaseId(platform, account_id, name),
    "Workers KV Storage": () => findNamespaceId(platform, account_id, name),
    Queues: () => listQueues(platform, account_id),
    "Workers Scripts": () => listCheckers(platform, account_id, name),
  };
  const missing: string[] = [];
  for (const [permission, read] of Object.entries(reads)) {
    await read().catch((error: unknown) => {
      if (!(error instanceof PlatformError && error.status === 403)) throw error;
      missing.push(`${permission} (edit)`);
    });
  }
  if (missing.length > 0)
    throw new Refusal(`the login lacks permissions of account ${account_id}: ${missing.join(", ")}`);
}

/** Where the service answers without a domain of its own. */
export async function findWorkersDevHost(platform: Platform, account_id: string): Promise<string> {
  const found = await findOne<{ subdomain?: string }>(platform, `/accounts/${account_id}/workers/subdomain`);
  if (found?.subdomain) return `${found.subdomain}.workers.dev`;
  throw new Refusal("the account has no workers.dev subdomain: open Workers in the dashboard once, or give --domain");
}

export async function findDatabaseId(platform: Platform, account_id: string, name: string) {
  type Found = { uuid: string; name: string };
  const databases = await listAll<Found>(platform, `/accounts/${account_id}/d1/database?name=${name}`);
  return databases.find((database) => database.name === name)?.uuid;
}

export async function createDatabase(platform: Platform, account_id: string, body: object): Promise<string> {
  const { uuid } = (await platform.api("POST", `/accounts/${account_id}/d1/database`, body)) as { uuid: string };
  return uuid;
}

export async function findNamespaceId(platform: Platform, account_id: string, title: string) {
  type Found = { id: string; title: string };
  const namespaces = await listAll<Found>(platform, `/accounts/${account_id}/storage/kv/namespaces`);
  return namespaces.find((namespace) => namespace.title === title)?.id;
}

export async function createNamespace(platform: Platform, account_id: string, title: string): Promise<string> {
  const path = `/accounts/${account_id}/storage/kv/namespaces`;
  const { id } = (await platform.api("POST", path, { title })) as { id: string };
  return id;
}

export interface Queue {
  queue_id: string;
  queue_name: string;
}

export function listQueues(platform: Platform, account_id: string): Promise<Queue[]> {
  return listAll<Queue>(platform, `/accounts/${account_id}/queues`);
}

export async function createQueue(platform: Platform, account_id: string, queue_name: string): Promise<void> {
  await platform.api("POST", `/accounts/${account_id}/queues`, { queue_name });
}

/** Names of the secrets of a Worker; none where it does not exist. */
export async function listSecretNames(platform: Platform, account_id: string, worker: string): Promise<string[]> {
  const path = `/accounts/${account_id}/workers/scripts/${worker}/secrets`;
  return ((await findOne<{ name: string }[]>(platform, path)) ?? []).map(({ name }) => name);
}

export interface Binding {
  type: string;
  name: string;
  text?: string;
  class_name?: string;
  /** Of a database; the API has called it both. */
  id?: string;
  database_id?: string;
  namespace_id?: string;
}

/** What a Worker is bound to; undefined where it does not exist. */
export async function listBindings(
  platform: Platform,
  account_id: string,
  worker: string,
): Promise<Binding[] | undefined> {
  const path = `/accounts/${account_id}/workers/scripts/${worker}/settings`;
  return (await findOne<{ bindings?: Binding[] }>(platform, path))?.bindings;
}

/** The variables of a Worker, secrets left out; none where it does not exist. */
export async function listVars(
  platform: Platform,
  account_id: string,
  worker: string,
): Promise<Record<string, string>> {
  const bindings = (await listBindings(platform, account_id, worker)) ?? [];
  const texts = bindings.filter(({ type }) => type === "plain_text");
  return Object.fromEntries(texts.map(({ name, text = "" }) => [name, text]));
}

/** Names of the Workers of a deployment that check regions. */
export async function listCheckers(platform: Platform, account_id: string, name: string): Promise<string[]> {
  const workers = await listAll<{ id: string }>(platform, `/accounts/${account_id}/workers/scripts`);
  const checkers = REGIONS.map((region) => checkerName(name, region));
  return workers.map(({ id }) => id).filter((id) => checkers.includes(id));
}
