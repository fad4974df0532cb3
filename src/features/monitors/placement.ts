import type { RequestScope } from "../../access/scope.ts";
import { REGIONS, type Region } from "../../contract/monitor-values.ts";
import { joinShard, leaveShard } from "../../data/check-groups/write.ts";
import type { Statement } from "../../data/db.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { noteShard } from "../../data/monitors/write.ts";
import { type CheckGroupKey, checkGroupId, inLane, inShard, shardOf } from "../../domain/check-schedule.ts";
import { CHECK_SIZES } from "../../domain/free-plan.ts";
import { newId } from "../../platform/ids.ts";

/** Of monitors that the service does not check by a schedule: pushed, computed, or run by an agent. */
const NOWHERE = "";

/** Where a monitor's checks are planned and their history is kept. */
export interface Placement {
  /** What the row says of it at once. */
  columns: Partial<Pick<MonitorRecord, "check_group_id">>;
  /** To run after the monitor's row is written. */
  after: Statement[];
}

const UNCHANGED: Placement = { columns: {}, after: [] };

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
  if (!wanted.isScheduled) return UNCHANGED;
  return { columns: {}, after: joinShard(ctx.db, monitorId, groupOf(newId(ctx.now), wanted), shardSizeOf(ctx)) };
}

/** A shard holds monitors of one interval and regions. The history of a monitor that moves stays where it is. */
export function updatePlacement(ctx: RequestScope, current: MonitorRecord, wanted: Scheduled): Placement {
  const { id, shard_id } = current;
  if (shard_id === NOWHERE) return placeMonitor(ctx, id, wanted);
  if (!wanted.isScheduled)
    return isScheduled(current) ? { columns: { check_group_id: NOWHERE }, after: [] } : UNCHANGED;
  const group = groupOf(newId(ctx.now), wanted);
  if (isSameSchedule(group.id, current.check_group_id)) return UNCHANGED;
  const leaving = [leaveShard(ctx.db, shard_id), noteShard(ctx.db, [id], shard_id, ctx.now)];
  return { columns: {}, after: [...leaving, ...joinShard(ctx.db, id, group, shardSizeOf(ctx))] };
}

const shardSizeOf = ({ settings }: RequestScope) => CHECK_SIZES[settings.PLAN].shard;

/** To run after the monitor is deleted. */
export function releasePlacement(ctx: RequestScope, monitor: MonitorRecord): Statement[] {
  if (monitor.shard_id === NOWHERE) return [];
  return [leaveShard(ctx.db, monitor.shard_id)];
}

/** Shard and lane are the checks' own business. */
function isSameSchedule(one: string, other: string): boolean {
  return other !== NOWHERE && inLane(one, "normal") === inLane(inShard(other, shardOf(one)), "normal");
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
