import type { Deps } from "../access/scope.ts";
import type { MonitorAnswer } from "../contract/monitor-object.ts";
import { runBatch, type Statement } from "../data/db.ts";
import { findMonitor, type MonitorRecord } from "../data/monitors/read.ts";
import { forgetDeleted, projectAnswer } from "../data/monitors/write.ts";
import { bumpPageVersion } from "../data/status-pages/write.ts";
import { dissolveObject, monitorObject } from "../platform/monitor-objects.ts";

type Known = Pick<
  MonitorRecord,
  "id" | "state_seq" | "settled" | "status_page_id" | "config_version" | "synced_version"
>;

/** The writes that D1 owes after an answer of the monitor's object; none when it says what D1 knows already. */
export function projectionOf(deps: Deps, known: Known, answer: MonitorAnswer): Statement[] {
  const hasMoved = answer.seq !== known.state_seq;
  const isNews = hasMoved || answer.settled !== known.settled || answer.retry !== null;
  if (!isNews && answer.config_version === known.synced_version) return [];
  const page = hasMoved && known.status_page_id !== null ? [known.status_page_id] : [];
  return [
    projectAnswer(deps.db, known.id, answer),
    ...page.map((pageId) => bumpPageVersion(deps.db, pageId, deps.now())),
  ];
}

/** Tells a monitor's object of a committed change; gives the record as it stands then, undefined when it is gone. */
export async function syncMonitor(deps: Deps, monitorId: string, version: number): Promise<MonitorRecord | undefined> {
  const answer = await monitorObject(deps.env, monitorId).sync(monitorId, version);
  const record = await findMonitor(deps.db, monitorId);
  if (!record || !answer) return record;
  const writes = projectionOf(deps, record, answer);
  if (writes.length === 0) return record;
  await runBatch(deps.db, writes);
  return findMonitor(deps.db, monitorId);
}

/** Tells the object of a deleted monitor, which nobody has to tell again. */
export async function dissolveMonitor(deps: Deps, monitorId: string): Promise<void> {
  await dissolveObject(deps.env, monitorId);
  await runBatch(deps.db, [forgetDeleted(deps.db, monitorId)]);
}
