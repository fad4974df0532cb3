import type { Scope } from "../access/scope.ts";
import { DEFAULT_REGION } from "../contract/check.ts";
import type { Region } from "../contract/monitor-values.ts";
import { findLastPlannedMinute } from "../data/check-groups/read.ts";
import { slotsWithin } from "../domain/check-schedule.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { type ScheduledCheck, sendChecks } from "../platform/check-queues.ts";
import type { Env } from "../platform/env.ts";

export interface Checkable {
  id: string;
  check_group_id: string;
  regions: readonly Region[];
}

/** The regions in which a monitor is checked; none named means wherever the checker runs. */
export function regionsOf(named: readonly Region[]): readonly string[] {
  return named.length > 0 ? named : [DEFAULT_REGION];
}

interface SlottedGroup {
  id: string;
  /** Seconds. */
  interval: number;
  regions: readonly Region[];
}

export function checksAt(group: SlottedGroup, slots: readonly number[]): ScheduledCheck[] {
  return slots.flatMap((slot_at) =>
    regionsOf(group.regions).map((region) => ({ group_id: group.id, region, slot_at, attempt: 0, run_at: slot_at })),
  );
}

/** Enqueues the slots of a new group up to the end of the last planned minute; the planner sends all later ones. */
export async function startGroup(
  { env, db }: Pick<Scope, "env" | "db">,
  group: SlottedGroup,
  now: number,
): Promise<void> {
  const plannedTo = ((await findLastPlannedMinute(db)) ?? 0) + MINUTE_MS;
  const slots = slotsWithin(group.id, group.interval * 1000, now + 1, plannedTo);
  await sendChecks(env, checksAt(group, slots), now);
}

/** One check right now, in all regions of each monitor, outside of the schedule. */
export async function enqueueChecks(env: Env, monitors: readonly Checkable[], now: number): Promise<void> {
  const checks = monitors.flatMap(({ id, check_group_id, regions }) =>
    regionsOf(regions).map((region) => ({
      group_id: check_group_id,
      region,
      slot_at: now,
      attempt: 0,
      monitor_id: id,
      run_at: now,
    })),
  );
  await sendChecks(env, checks, now);
}
