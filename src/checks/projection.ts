import type { Scope } from "../access/scope.ts";
import type { MonitorSnapshot } from "../contract/monitor-object.ts";
import { runBatch, type Statement } from "../data/db.ts";
import { findMonitor, type MonitorRecord } from "../data/monitors/read.ts";
import { deleteTombstone, projectAnswer } from "../data/monitors/write.ts";
import { bumpPageVersion } from "../data/status-pages/write.ts";
import { monitorObject, tombstoneObject } from "../platform/monitor-objects.ts";

type Known = Pick<
  MonitorRecord,
  "id" | "status" | "state_seq" | "settled" | "status_page_id" | "config_version" | "synced_version"
>;

/** The writes that copy a snapshot into D1; none when D1 holds the same already. */
export function buildProjection(scope: Scope, known: Known, answer: MonitorSnapshot): Statement[] {
  const hasMoved = answer.seq !== known.state_seq || answer.status !== known.status;
  const isNews = hasMoved || answer.settled !== known.settled || answer.retry !== null;
  if (!isNews && answer.config_version === known.synced_version) return [];
  const page = hasMoved && known.status_page_id !== null ? [known.status_page_id] : [];
  return [
    projectAnswer(scope.db, known.id, answer),
    ...page.map((pageId) => bumpPageVersion(scope.db, pageId, scope.now)),
  ];
}

/** Syncs a monitor's object with a committed change; returns the record afterwards, undefined for a deleted monitor. */
export async function syncMonitor(
  scope: Scope,
  monitorId: string,
  version: number,
): Promise<MonitorRecord | undefined> {
  const answer = await monitorObject(scope.env, monitorId).sync(monitorId, version);
  const record = await findMonitor(scope.db, monitorId);
  if (!record || !answer) return record;
  const writes = buildProjection(scope, record, answer);
  if (writes.length === 0) return record;
  await runBatch(scope.db, writes);
  return findMonitor(scope.db, monitorId);
}

/** Empties the object of a deleted monitor and then deletes the tombstone. */
export async function tombstoneMonitor(scope: Scope, monitorId: string): Promise<void> {
  await tombstoneObject(scope.env, monitorId);
  await runBatch(scope.db, [deleteTombstone(scope.db, monitorId)]);
}
