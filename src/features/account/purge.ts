import { z } from "zod";
import type { Scope } from "../../access/scope.ts";
import { emptyObjects } from "../../checks/reconcile.ts";
import { DELETED_MAX, runBatch } from "../../data/db.ts";
import { listDeletedAccounts, listMonitorIdsOf } from "../../data/deleted-accounts/read.ts";
import { deleteMonitorsOf, deleteRecordsOf, deleteUser } from "../../data/deleted-accounts/write.ts";

/**
 * Removes what is left of deleted accounts in portions, because D1 breaks off what runs for 30 seconds: first monitors with
 * their history, then records, at last the account itself with all that still belongs to it.
 */
const Deleted = z.object({ meta: z.object({ changes: z.number() }) });
const ACCOUNTS_MAX = 20;
const MONITORS_MAX = 50;

export async function sweepDeletedAccounts(scope: Scope): Promise<void> {
  for (const id of await listDeletedAccounts(scope.db, ACCOUNTS_MAX)) await removePortion(scope, id);
}

/** The next tick continues; an account without much is gone after one portion. */
export async function removePortion(scope: Scope, accountId: string): Promise<void> {
  const { db, log } = scope;
  const ids = await listMonitorIdsOf(db, accountId, MONITORS_MAX);
  if (ids.length > 0) {
    await runBatch(db, deleteMonitorsOf(db, ids));
    await emptyObjects(scope, ids);
  }
  if (ids.length === MONITORS_MAX) return;
  const deleted = await runBatch(db, deleteRecordsOf(db, accountId));
  if (deleted.some((result) => changesOf(result) >= DELETED_MAX)) return;
  await runBatch(db, [deleteUser(db, accountId)]);
  log.info("account deleted", { user_id: accountId });
}

function changesOf(result: unknown): number {
  return Deleted.parse(result).meta.changes;
}
