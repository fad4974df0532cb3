import type { Scope } from "../access/scope.ts";
import {
  listCheckGroupsAfter,
  listLatest,
  listMonitorsWithStatus,
  type PlannedGroup,
} from "../data/check-groups/read.ts";
import { runBatch } from "../data/db.ts";
import { listOverdueRetries, listUnsynced } from "../data/monitors/read.ts";
import { clearRetries } from "../data/monitors/write.ts";
import { staleAfterMs } from "../domain/check-schedule.ts";
import { monitorObject } from "../platform/monitor-objects.ts";
import { enqueueChecks } from "./enqueue.ts";
import { forEachMonitor } from "./isolated.ts";
import { buildProjection, syncMonitor } from "./projection.ts";

const PAGE_SIZE = 500;
const MONITORS_MAX = 500;
/** The request or message that started something has this long to finish it. */
const GRACE_MS = 30_000;

/** Finds what was lost on its way: objects behind their configuration, retries that did not run, groups without results. */
export async function sweepChecks(scope: Scope): Promise<void> {
  const before = scope.now - GRACE_MS;
  const unsynced = await listUnsynced(scope.db, before, MONITORS_MAX);
  await forEachMonitor(scope, { step: "monitor object sync failed", monitors: unsynced }, ({ id, config_version }) =>
    syncMonitor(scope, id, config_version),
  );
  const lost = await listOverdueRetries(scope.db, before, MONITORS_MAX);
  await enqueueChecks(scope.env, lost, scope.now);
  if (lost.length > 0) {
    await runBatch(scope.db, [
      clearRetries(
        scope.db,
        lost.map(({ id }) => id),
      ),
    ]);
  }
  await markStaleGroups(scope);
}

async function markStaleGroups(scope: Scope): Promise<void> {
  for (let after = "", full = true; full; ) {
    const groups = await listCheckGroupsAfter(scope.db, after, PAGE_SIZE);
    for (const group of groups.filter((each) => isStale(each, scope.now))) await markGroup(scope, group);
    after = groups.at(-1)?.id ?? after;
    full = groups.length === PAGE_SIZE;
  }
}

function isStale({ last_slot_at, interval }: PlannedGroup, now: number): boolean {
  return last_slot_at !== null && now - last_slot_at > staleAfterMs(interval);
}

async function markGroup(scope: Scope, group: PlannedGroup): Promise<void> {
  const members = await listMonitorsWithStatus(scope.db, group.id);
  if (members.length === 0) return;
  const judged = new Map((await listLatest(scope.db, [group.id])).map((packed) => [packed[0], packed[6]]));
  await forEachMonitor(scope, { step: "mark stale", monitors: members }, async (member) => {
    const last_result_at = judged.get(member.id) ?? null;
    if (last_result_at !== null && scope.now - last_result_at <= staleAfterMs(group.interval)) return;
    const report = { last_result_at, reason: "no recent check result" };
    const answer = await monitorObject(scope.env, member.id).markStale(member.id, member.config_version, report);
    if (answer) await runBatch(scope.db, buildProjection(scope, member, answer));
  });
}
