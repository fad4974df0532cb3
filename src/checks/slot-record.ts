import type { Scope } from "../access/scope.ts";
import type { ProbeResult } from "../contract/check.ts";
import type { MonitorSnapshot } from "../contract/monitor-object.ts";
import type { CheckGroupRecord } from "../data/check-groups/read.ts";
import { insertCheckGroup, recordSlot } from "../data/check-groups/write.ts";
import { runBatch, type Statement } from "../data/db.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import type { PackedResult } from "../data/monitors/table.ts";
import { moveToGroup, NOTED_AGAIN_AFTER_MS, noteShard } from "../data/monitors/write.ts";
import { inLane, inShard, type Lane, shardOf, staleAfterMs } from "../domain/check-schedule.ts";
import { type ScheduledCheck, sendChecks } from "../platform/check-queues.ts";
import { now } from "../platform/clock.ts";
import { regionsOf, startGroup } from "./enqueue.ts";
import { buildExpiries, buildProjection } from "./projection.ts";
import { endHours, type RestingMonitor } from "./resting.ts";
import { type CheckedMonitor, type Slot, shortMessage } from "./result-history.ts";
import { markUncheckedMonitors } from "./unchecked.ts";

export interface RecordedSlot extends Slot {
  group: CheckGroupRecord;
  monitor_id?: string;
  /** The message of the group, which enqueued one for the members that exceed it. */
  isFirst: boolean;
  isWholeGroup: boolean;
  /** Members that were not checked in it, because they rest. */
  resting: readonly RestingMonitor[];
  /** When the group's members were loaded. */
  begun_at: number;
}

/**
 * Writes one batch per message: the snapshots that the objects returned and the newest result of every member. Then
 * enqueues the retries that the objects ordered.
 */
export async function recordChecks(
  scope: Scope,
  slot: RecordedSlot,
  checked: readonly CheckedMonitor[],
): Promise<void> {
  const unchecked = await markUncheckedMonitors(scope, slot.group.latest, checked);
  const projections = checked.flatMap(({ monitor, answer }) => (answer ? buildProjection(scope, monitor, answer) : []));
  const expiries = checked.flatMap(({ monitor, result }) => buildExpiries(scope, monitor, result.details));
  const { group } = slot;
  const resting = new Set(slot.resting.map(({ monitor }) => monitor.id));
  // What they showed last stays known.
  const kept = resting.size === 0 ? [] : group.latest.filter((packed) => resting.has(packed[0]));
  const ended = await endHours(scope, slot.resting);
  const writes = [...projections, ...unchecked, ...ended, ...expiries, ...buildNotes(scope, slot, checked)];
  const moving = checked.filter(({ result }) => laneOf(result) !== group.lane);
  const latest = {
    fresh: [...checked.filter((each) => !moving.includes(each)).map((each) => pack(each, slot)), ...kept],
    replaced: [...checked.map(({ monitor }) => monitor.id), ...kept.map((packed) => packed[0])],
    known: slot.isWholeGroup ? group.latest : null,
    kept_from: oldestOfMembers(slot),
  };
  const record = recordSlot(scope.db, group.id, slot.isFirst ? slot.slot_at : null, latest);
  if (moving.length === 0) await runBatch(scope.db, [...writes, record]);
  else await changeLane(scope, slot, moving, [...writes, record]);
  await sendChecks(scope.env, checked.flatMap(retriesOf), now());
}

/** When the newest result of a member was found at the earliest: older ones belong to monitors that have left the group. */
function oldestOfMembers({ group, begun_at, isFirst, isWholeGroup }: RecordedSlot): number {
  if (isWholeGroup) return begun_at;
  // The members that exceed the message were checked with the slot before, and some may have missed it.
  return isFirst ? (group.last_slot_at ?? 0) - staleAfterMs(group.interval) : 0;
}

/** A target that timed out is checked in the slow lane until it responds in time; a new target starts there. */
export function laneOf(result: ProbeResult): Lane {
  return result.cause === "timeout" ? "slow" : "normal";
}

/** In whose objects the results of a slot are stored: those of a single monitor in its own shard's. */
export function historyShardOf(slot: { monitor_id?: string }, groupId: string, checked: readonly CheckedMonitor[]) {
  const [first] = checked;
  return slot.monitor_id !== undefined && first ? first.monitor.shard_id : shardOf(groupId);
}

/** Monitors that are checked with a group of another shard have results there from now on. */
function buildNotes({ db, now }: Scope, slot: RecordedSlot, checked: readonly CheckedMonitor[]): Statement[] {
  const shardId = historyShardOf(slot, slot.group.id, checked);
  const unnoted = checked.filter(({ monitor: { shard_id, other_shards } }) => {
    return shard_id !== shardId && now - (other_shards[shardId] ?? 0) > NOTED_AGAIN_AFTER_MS;
  });
  const ids = unnoted.map(({ monitor }) => monitor.id);
  return ids.length === 0 ? [] : [noteShard(db, ids, shardId, now)];
}

/** To the other lane of the monitor's own shard, whichever group of the slow lane it was checked with. */
async function changeLane(
  scope: Scope,
  slot: RecordedSlot,
  moving: readonly CheckedMonitor[],
  writes: readonly Statement[],
): Promise<void> {
  const { db } = scope;
  const { group } = slot;
  const lane: Lane = group.lane === "slow" ? "normal" : "slow";
  const shards = [...Map.groupBy(moving, ({ monitor }) => monitor.shard_id)].map(([shard_id, members]) => ({
    other: { ...group, id: inLane(inShard(group.id, shard_id), lane), shard_id, lane, latest: [], last_slot_at: null },
    fresh: members.map((each) => pack(each, slot)),
    ids: members.map(({ monitor }) => monitor.id),
  }));
  const inserted = await runBatch(db, [
    ...shards.map(({ other }) => insertCheckGroup(db, other)),
    ...writes,
    ...shards.flatMap(({ other, fresh, ids }) => [
      moveToGroup(db, ids, { from: group.id, to: other.id }),
      recordSlot(db, other.id, null, { fresh, replaced: ids, known: null, kept_from: 0 }),
    ]),
  ]);
  for (const [n, { other }] of shards.entries()) {
    const rows = inserted[n];
    if (Array.isArray(rows) && rows.length > 0) await startGroup(scope, other, now());
  }
}

function retriesOf({ monitor, answer, result }: CheckedMonitor): ScheduledCheck[] {
  const { retry } = answer ?? {};
  if (!retry) return [];
  return repeatedChecks(monitor, inLane(monitor.check_group_id, laneOf(result)), retry);
}

/** The repetition of a monitor's check that its object asks for, in all regions. */
export function repeatedChecks(
  monitor: Pick<MonitorRecord, "id" | "regions">,
  group_id: string,
  retry: NonNullable<MonitorSnapshot["retry"]>,
): ScheduledCheck[] {
  return regionsOf(monitor.regions).map((region) => ({
    group_id,
    region,
    slot_at: retry.slot_at,
    attempt: retry.attempt,
    monitor_id: monitor.id,
    run_at: retry.at,
  }));
}

function pack({ monitor, checked_at, result }: CheckedMonitor, slot: RecordedSlot): PackedResult {
  const before = slot.group.latest.find((packed) => packed[0] === monitor.id)?.[6] ?? null;
  const judgedAt = result.outcome === "error" ? before : checked_at;
  return [
    monitor.id,
    checked_at,
    result.latency_ms,
    shortMessage(result.message),
    slot.region,
    result.outcome,
    judgedAt,
  ];
}
