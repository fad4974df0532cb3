import type { Scope } from "../access/scope.ts";
import { listCheckGroupStates, listGroupsWithStatus, listMonitorsWithStatus } from "../data/check-groups/read.ts";
import { runBatch } from "../data/db.ts";
import { listOverdueRetries } from "../data/monitors/read.ts";
import { clearRetries } from "../data/monitors/write.ts";
import { staleAfterMs } from "../domain/check-schedule.ts";
import { SECOND_MS } from "../lib/durations.ts";
import { enqueuePortions } from "../platform/minute-queue.ts";
import { monitorObject } from "../platform/monitor-objects.ts";
import { enqueueChecks } from "./enqueue.ts";
import { forEachMonitor } from "./isolated.ts";
import { projectAll } from "./projection.ts";
import { showUnreachable } from "./unchecked.ts";

/** The message that checks a retry has this long to do so. */
const GRACE_MS = 30 * SECOND_MS;
const RETRIES_PER_PAGE = 1_000;
const PAGES_PER_MINUTE = 20;
/** At most 600 objects, of which an invocation calls six at a time. */
const GROUPS_PER_MESSAGE = 10;

/** Enqueues retries of failed checks that did not run, page by page: a page clears what the next one would find again. */
export async function sweepLostRetries(scope: Scope): Promise<void> {
  for (let page = 0; page < PAGES_PER_MINUTE; page += 1) {
    const lost = await listOverdueRetries(scope.db, scope.now - GRACE_MS, RETRIES_PER_PAGE);
    if (lost.length === 0) return;
    await enqueueChecks(scope.env, lost, scope.now);
    const ids = lost.map(({ id }) => id);
    await runBatch(scope.db, [clearRetries(scope.db, ids)]);
    if (lost.length < RETRIES_PER_PAGE) return;
  }
}

/** Enqueues those of these groups that still show a status. */
export async function enqueueStaleGroups(scope: Scope, groupIds: readonly string[]): Promise<void> {
  if (groupIds.length === 0) return;
  const items = await listGroupsWithStatus(scope.db, groupIds);
  await enqueuePortions(scope, { part: "stale groups", items, per_message: GROUPS_PER_MESSAGE });
}

/**
 * Marks the members of these groups unknown that have no valid result, at the cost of one object request for each and
 * five statements in all. A result that was recorded meanwhile counts.
 */
export async function markStaleGroups(scope: Scope, groupIds: readonly string[]): Promise<void> {
  const groups = (await listCheckGroupStates(scope.db, groupIds)).filter((group) => isStale(scope, group));
  if (groups.length === 0) return;
  const intervals = new Map(groups.map(({ id, interval }) => [id, interval]));
  const checkedAt = new Map(groups.flatMap(({ latest }) => latest).map((packed) => [packed[0], packed[6]]));
  const monitors = (await listMonitorsWithStatus(scope.db, [...intervals.keys()])).flatMap((monitor) => {
    const last_result_at = checkedAt.get(monitor.id) ?? null;
    const interval = intervals.get(monitor.check_group_id) ?? 0;
    const isValid = last_result_at !== null && scope.now - last_result_at <= staleAfterMs(interval);
    return isValid ? [] : [{ ...monitor, last_result_at }];
  });
  const step = "mark stale";
  const { done, failed } = await forEachMonitor(scope, { step, monitors }, ({ id, config_version, last_result_at }) =>
    monitorObject(scope.env, id).markStale(id, config_version, { last_result_at, reason: "no recent check result" }),
  );
  await projectAll(scope, done);
  await runBatch(scope.db, showUnreachable(scope, failed));
}

interface SlottedGroup {
  last_slot_at: number | null;
  /** Seconds. */
  interval: number;
}

/** Whether the newest results of a group are too old to be valid. */
export function isStale({ now }: Scope, { last_slot_at, interval }: SlottedGroup): boolean {
  return last_slot_at !== null && now - last_slot_at > staleAfterMs(interval);
}
