import type { Scope } from "../access/scope.ts";
import { findLastPlannedMinute, listCheckGroupsAfter, type PlannedGroup } from "../data/check-groups/read.ts";
import {
  claimMinute,
  clearDelayedPages,
  deletePlannedMinutesBefore,
  insertMissingCheckGroups,
  markDelayedPages,
  restCheckGroups,
} from "../data/check-groups/write.ts";
import { runBatch } from "../data/db.ts";
import { delayedAfterMs, slotBefore, slotsWithin } from "../domain/check-schedule.ts";
import { decideThinning } from "../domain/free-budget.ts";
import { DAY_MS, MINUTE_MS } from "../lib/durations.ts";
import { type ScheduledCheck, sendChecks } from "../platform/check-queues.ts";
import { now } from "../platform/clock.ts";
import { readFreeBudget } from "../platform/free-budget.ts";
import { checksAt } from "./enqueue.ts";
import { isStale } from "./stale.ts";

const PAGE_SIZE = 500;
/** A slot that has not been recorded for this long is considered lost and sent again. */
const LOST_AFTER_MS = 2 * MINUTE_MS;
const CLAIMS_KEPT_MS = DAY_MS;

/**
 * Sends every slot of this minute, each with the delay that puts it on time. Two ticks of one minute plan it once; after
 * a time without ticks each group is checked once, not once for every slot that was missed. A group of paused monitors costs
 * no message. Returns the groups without a valid result, which it reads anyway.
 */
export async function planMinute(scope: Scope, minuteAt: number): Promise<string[]> {
  const previous = await findLastPlannedMinute(scope.db);
  if (!(await claimMinute(scope.db, minuteAt))) return [];
  await runBatch(scope.db, [insertMissingCheckGroups(scope.db)]);
  const stale: string[] = [];
  const restedNow: string[] = [];
  const wasAway = previous === null || previous < minuteAt - MINUTE_MS;
  let isAnyLate = false;
  const every = await findThinning(scope);
  for (let after = "", full = true; full; ) {
    const found = await listCheckGroupsAfter(scope.db, after, PAGE_SIZE);
    const groups = found.filter((group) => group.is_resting === 0);
    restedNow.push(...found.filter(isJustResting).map(({ id }) => id));
    await sendChecks(
      scope.env,
      groups.flatMap((group) => planGroup(group, { minuteAt, now: scope.now, wasAway, every })),
      Math.max(now(), scope.now),
    );
    stale.push(
      ...groups.filter((group) => isStale(scope, { ...group, interval: group.interval * every })).map(({ id }) => id),
    );
    isAnyLate ||= groups.some((group) => isLate(scope, group, minuteAt));
    after = found.at(-1)?.id ?? after;
    full = found.length === PAGE_SIZE;
  }
  const lateAfter = scope.settings.CHECKS_LATE_AFTER_MS;
  await runBatch(scope.db, [
    deletePlannedMinutesBefore(scope.db, minuteAt - CLAIMS_KEPT_MS),
    ...(restedNow.length > 0 ? [restCheckGroups(scope.db, restedNow)] : []),
    // After a time without ticks everything was just sent, and has until the next tick to run.
    ...(isAnyLate && !wasAway ? [markDelayedPages(scope.db, minuteAt, lateAfter)] : []),
    clearDelayedPages(scope.db, wasAway ? 0 : minuteAt, lateAfter),
  ]);
  return stale;
}

const isJustResting = ({ is_resting, last_slot_at }: PlannedGroup) => is_resting !== 0 && last_slot_at !== null;

function isLate({ settings }: Scope, { last_slot_at, interval }: PlannedGroup, now: number): boolean {
  return last_slot_at !== null && now - last_slot_at > delayedAfterMs(interval, settings.CHECKS_LATE_AFTER_MS);
}

interface Tick {
  minuteAt: number;
  now: number;
  /** Whether the minute before was not planned. */
  wasAway: boolean;
  /** Every how many slots are checked. */
  every: number;
}

function planGroup(group: PlannedGroup, { minuteAt, now, wasAway, every }: Tick): ScheduledCheck[] {
  const intervalMs = group.interval * 1000;
  const from = Math.max(minuteAt, now);
  const slots = slotsWithin(group.id, intervalMs, from, minuteAt + MINUTE_MS);
  const newest = slotBefore(group.id, intervalMs, from - 1);
  const isUnseen = group.last_slot_at === null || group.last_slot_at < newest;
  const isOurs = newest >= minuteAt || wasAway || minuteAt - newest >= LOST_AFTER_MS;
  if (isUnseen && isOurs) slots.unshift(newest);
  return checksAt(group, every === 1 ? slots : slots.filter((slot) => Math.floor(slot / intervalMs) % every === 0));
}

/** While the day's budget of the Workers Free plan is spent; an alarm says so. What cannot be read thins nothing. */
async function findThinning(scope: Scope): Promise<number> {
  try {
    const budget = await readFreeBudget(scope);
    return budget === null ? 1 : decideThinning(budget, scope.now);
  } catch (error) {
    scope.log.error("budget of the day", error);
    return 1;
  }
}
