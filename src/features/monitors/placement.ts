import type { RequestScope } from "../../access/scope.ts";
import { REGIONS, type Region } from "../../contract/monitor-values.ts";
import { insertCheckGroup, joinShard, leaveShard } from "../../data/check-groups/write.ts";
import type { Statement } from "../../data/db.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { type CheckGroupKey, checkGroupId, inLane } from "../../domain/check-schedule.ts";
import { newId } from "../../platform/ids.ts";

/** Of monitors that the service does not check by a schedule: pushed, computed, or run by an agent. */
const NOWHERE = "";
const UNCHANGED = { before: [], after: [] };

/** Where a monitor's checks are planned and their history is kept. */
export interface Placement {
  shard_id: string;
  check_group_id: string;
  /** To run before the monitor's row is written. */
  before: Statement[];
  /** To run after it. */
  after: Statement[];
}

interface Scheduled {
  interval: number;
  regions: readonly Region[];
  /** False for what the service does not check itself. */
  isScheduled: boolean;
}

export function isScheduled(monitor: Pick<MonitorRecord, "check_group_id">): boolean {
  return monitor.check_group_id !== NOWHERE;
}

/** The statements after the row decide the shard and the group, so the record has to be read again after the commit. */
export function placeMonitor(ctx: RequestScope, monitorId: string, wanted: Scheduled): Placement {
  const nowhere = { ...UNCHANGED, shard_id: NOWHERE, check_group_id: NOWHERE };
  if (!wanted.isScheduled) return nowhere;
  return { ...nowhere, after: joinShard(ctx.db, monitorId, groupOf(newId(ctx.now), wanted)) };
}

/** The shard stays for ever, because the history lies there; the group follows interval and regions. */
export function updatePlacement(ctx: RequestScope, current: MonitorRecord, wanted: Scheduled): Placement {
  if (current.shard_id === NOWHERE) return placeMonitor(ctx, current.id, wanted);
  const { shard_id } = current;
  const group = wanted.isScheduled ? groupOf(shard_id, wanted) : null;
  const check_group_id = group?.id ?? NOWHERE;
  if (isSameGroup(check_group_id, current.check_group_id)) {
    return { ...UNCHANGED, shard_id, check_group_id: current.check_group_id };
  }
  return {
    shard_id,
    check_group_id,
    before: group ? [insertCheckGroup(ctx.db, group)] : [],
    after: [],
  };
}

/** To run after the monitor is deleted. */
export function releasePlacement(ctx: RequestScope, monitor: MonitorRecord): Statement[] {
  if (monitor.shard_id === NOWHERE) return [];
  return [leaveShard(ctx.db, monitor.shard_id)];
}

/** The lane is the checks' own business. */
function isSameGroup(one: string, other: string): boolean {
  return one === other || (one !== NOWHERE && inLane(one, "normal") === inLane(other, "normal"));
}

/** The latency of a new target is unknown, so it starts in the lane where it cannot delay fast targets. */
function groupOf(shard_id: string, { interval, regions }: Scheduled) {
  const key = { shard_id, interval, regions: inOneOrder(regions), lane: "slow" } satisfies CheckGroupKey;
  return { id: checkGroupId(key), ...key };
}

/** Monitors that name the same regions in another order share a group. */
function inOneOrder(regions: readonly Region[]): Region[] {
  return REGIONS.filter((region) => regions.includes(region));
}
