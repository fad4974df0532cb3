import type { Scope } from "../access/scope.ts";
import type { ProbeResult } from "../contract/check.ts";
import type { CheckGroupRecord } from "../data/check-groups/read.ts";
import { insertCheckGroup, recordSlot } from "../data/check-groups/write.ts";
import { runBatch, type Statement } from "../data/db.ts";
import type { PackedResult } from "../data/monitors/table.ts";
import { moveToGroup } from "../data/monitors/write.ts";
import { inLane, type Lane } from "../domain/check-schedule.ts";
import { now } from "../platform/clock.ts";
import { regionsOf, type ScheduledCheck, sendChecks, startGroup } from "./enqueue.ts";
import { buildExpiries, buildProjection } from "./projection.ts";
import { shortMessage } from "./result-history.ts";
import type { CheckedMonitor, Slot } from "./runner.ts";
import { markUncheckedMonitors } from "./unchecked.ts";

export interface RecordedSlot extends Slot {
  group: CheckGroupRecord;
  isWholeGroup: boolean;
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
  const writes = [...projections, ...unchecked, ...expiries];
  const { group } = slot;
  const moving = checked.filter(({ result }) => laneOf(result) !== group.lane);
  const latest = {
    fresh: checked.filter((each) => !moving.includes(each)).map((each) => pack(each, slot)),
    replaced: checked.map(({ monitor }) => monitor.id),
    known: group.latest,
    // Older results belong to monitors that have left the group.
    kept_from: slot.isWholeGroup ? slot.begun_at : 0,
  };
  const record = recordSlot(scope.db, group.id, slot.isWholeGroup ? slot.slot_at : null, latest);
  if (moving.length === 0) await runBatch(scope.db, [...writes, record]);
  else await changeLane(scope, slot, moving, [...writes, record]);
  await sendChecks(scope.env, checked.flatMap(retriesOf), now());
}

/** A target that timed out is checked in the slow lane until it responds in time; a new target starts there. */
export function laneOf(result: ProbeResult): Lane {
  return result.cause === "timeout" ? "slow" : "normal";
}

async function changeLane(
  scope: Scope,
  slot: RecordedSlot,
  moving: readonly CheckedMonitor[],
  writes: readonly Statement[],
): Promise<void> {
  const { group } = slot;
  const lane: Lane = group.lane === "slow" ? "normal" : "slow";
  const other = { ...group, id: inLane(group.id, lane), lane, latest: [] };
  const fresh = moving.map((each) => pack(each, slot));
  const replaced = moving.map(({ monitor }) => monitor.id);
  const [inserted] = await runBatch(scope.db, [
    insertCheckGroup(scope.db, other),
    ...writes,
    ...replaced.map((id) => moveToGroup(scope.db, id, { from: group.id, to: other.id })),
    recordSlot(scope.db, other.id, null, { fresh, replaced, known: [], kept_from: 0 }),
  ]);
  if (Array.isArray(inserted) && inserted.length > 0) await startGroup(scope, other, now());
}

function retriesOf({ monitor, answer, result }: CheckedMonitor): ScheduledCheck[] {
  const { retry } = answer ?? {};
  if (!retry) return [];
  return regionsOf(monitor.regions).map((region) => ({
    group_id: inLane(monitor.check_group_id, laneOf(result)),
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
