import type { Deps } from "../access/scope.ts";
import { findLastPlannedMinute, listGroupsAfter, type PlannedGroup } from "../data/check-groups/read.ts";
import { claimMinute, clearLatePages, deletePlannedMinutesBefore, noteLatePages } from "../data/check-groups/write.ts";
import { runBatch } from "../data/db.ts";
import { lateAfterMs, slotBefore, slotsWithin } from "../domain/check-schedule.ts";
import { checksAt, type DelayedCheck, MINUTE_MS, sendChecks } from "./enqueue.ts";

const PAGE_SIZE = 500;
/** A slot that has not been recorded for this long was lost on its way; it is sent again. */
const LOST_AFTER_MS = 2 * MINUTE_MS;
const CLAIMS_KEPT_MS = 24 * 60 * MINUTE_MS;

/**
 * Sends every slot of this minute, each with the delay that puts it on time. Two ticks of one minute plan it once; after
 * a time without ticks each group is checked once, not once for every slot that was missed.
 */
export async function planMinute(deps: Deps, minuteAt: number): Promise<void> {
  const previous = await findLastPlannedMinute(deps.db);
  if (!(await claimMinute(deps.db, minuteAt))) return;
  const wasAway = previous === null || previous < minuteAt - MINUTE_MS;
  let isAnyLate = false;
  for (let after = "", full = true; full; ) {
    const groups = await listGroupsAfter(deps.db, after, PAGE_SIZE);
    await sendChecks(
      deps.env,
      groups.flatMap((group) => planGroup(group, { minuteAt, now: deps.now(), wasAway })),
      deps.now(),
    );
    isAnyLate ||= groups.some((group) => isLate(deps, group, minuteAt));
    after = groups.at(-1)?.id ?? after;
    full = groups.length === PAGE_SIZE;
  }
  const lateAfter = deps.settings.CHECKS_LATE_AFTER_MS;
  await runBatch(deps.db, [
    deletePlannedMinutesBefore(deps.db, minuteAt - CLAIMS_KEPT_MS),
    // After a time without ticks everything was just sent, and has until the next tick to run.
    ...(isAnyLate && !wasAway ? [noteLatePages(deps.db, minuteAt, lateAfter)] : []),
    clearLatePages(deps.db, wasAway ? 0 : minuteAt, lateAfter),
  ]);
}

function isLate({ settings }: Deps, { last_slot_at, interval }: PlannedGroup, now: number): boolean {
  return last_slot_at !== null && now - last_slot_at > lateAfterMs(interval, settings.CHECKS_LATE_AFTER_MS);
}

interface Tick {
  minuteAt: number;
  now: number;
  wasAway: boolean;
}

function planGroup(group: PlannedGroup, { minuteAt, now, wasAway }: Tick): DelayedCheck[] {
  const intervalMs = group.interval * 1000;
  const from = Math.max(minuteAt, now);
  const slots = slotsWithin(group.id, intervalMs, from, minuteAt + MINUTE_MS);
  const newest = slotBefore(group.id, intervalMs, from - 1);
  const isUnseen = group.last_slot_at === null || group.last_slot_at < newest;
  const isOurs = newest >= minuteAt || wasAway || minuteAt - newest >= LOST_AFTER_MS;
  if (isUnseen && isOurs) slots.unshift(newest);
  return checksAt(group, slots);
}
