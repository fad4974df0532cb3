import * as account from "./account.ts";
import { type Deployment, findKept } from "./deployment.ts";
import { refuseForeign } from "./ownership.ts";
import { findOne } from "./platform.ts";
import { queueNames } from "./worker-config.ts";
import { clearZone } from "./zone.ts";

/**
 * Removes a deployment and all of its data: all parts of it that are there, so that a run that broke off can be
 * repeated.
 */
export async function destroy(deployment: Deployment): Promise<void> {
  const { options, platform, files, release, print } = deployment;
  const { name } = options;
  const { account_id, zone } = await findKept(deployment);
  const base = `/accounts/${account_id}`;
  const remove = async (title: string, path: string) => {
    print(`delete ${title}`);
    await platform.api("DELETE", path);
  };

  const database_id = await account.findDatabaseId(platform, account_id, name);
  const namespace_id = await account.findNamespaceId(platform, account_id, `${name}-pages`);
  await refuseForeign(platform, { name, account_id, record: files.readRecord(), database_id, namespace_id });
  if (zone) {
    print(`clear the routes of ${zone}`);
    await clearZone(platform, { zone, worker: name });
  }
  const names = new Set(queueNames(release.config, name));
  const queues = (await account.listQueues(platform, account_id)).filter(({ queue_name }) => names.has(queue_name));
  // A Worker that consumes a queue cannot be deleted.
  for (const { queue_id, queue_name } of queues) {
    type Consumer = { consumer_id: string };
    const consumers = (await findOne<Consumer[]>(platform, `${base}/queues/${queue_id}/consumers`)) ?? [];
    for (const { consumer_id } of consumers) {
      await remove(`the consumer of ${queue_name}`, `${base}/queues/${queue_id}/consumers/${consumer_id}`);
    }
  }
  // The service binds its checkers, so it goes first.
  if (await account.listBindings(platform, account_id, name)) await remove(name, `${base}/workers/scripts/${name}`);
  for (const worker of await account.listCheckers(platform, account_id, name))
    await remove(worker, `${base}/workers/scripts/${worker}`);
  for (const { queue_id, queue_name } of queues) await remove(queue_name, `${base}/queues/${queue_id}`);
  if (namespace_id) await remove(`${name}-pages`, `${base}/storage/kv/namespaces/${namespace_id}`);
  if (database_id) await remove(`the database ${name}`, `${base}/d1/database/${database_id}`);
  files.remove();
}
