import { openSecrets } from "../access/monitor-secrets.ts";
import type { Scope } from "../access/scope.ts";
import type { ProbeResult } from "../contract/check.ts";
import type { CheckMessage } from "../contract/messages.ts";
import type { CheckResult, MonitorSnapshot } from "../contract/monitor-object.ts";
import type { MonitorType } from "../contract/monitor-values.ts";
import type { ResultBlock } from "../contract/prober-object.ts";
import { type CheckGroupRecord, loadCheckGroup } from "../data/check-groups/read.ts";
import { deleteEmptyCheckGroup, insertCheckGroup, recordSlot } from "../data/check-groups/write.ts";
import { runBatch, type Statement } from "../data/db.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import type { PackedResult } from "../data/monitors/table.ts";
import { moveToGroup } from "../data/monitors/write.ts";
import { inLane, type Lane, staleAfterMs } from "../domain/check-schedule.ts";
import { fnv1a } from "../lib/fnv.ts";
import { mapConcurrently } from "../lib/map-concurrently.ts";
import { egressOf } from "../platform/egress/guard.ts";
import { monitorObject } from "../platform/monitor-objects.ts";
import { edgeIo } from "../platform/probe-io.ts";
import { probeFor } from "../probes/registry.ts";
import { type CheckJob, runProbe } from "../probes/run.ts";
import { verifyWithCanaries } from "./canaries.ts";
import { regionsOf, type ScheduledCheck, sendChecks, startGroup } from "./enqueue.ts";
import { buildProjection } from "./projection.ts";

/** Workers wait for at most six answers at a time: https://developers.cloudflare.com/workers/platform/limits/ */
const CONNECTIONS = 6;
const MESSAGE_LENGTH_MAX = 200;

export interface Slot {
  region: string;
  slot_at: number;
  attempt: number;
}

export interface Checked {
  monitor: MonitorRecord;
  checked_at: number;
  result: ProbeResult;
  /** null when the monitor's object did not have to hear of it, or the monitor is gone. */
  answer: MonitorSnapshot | null;
}

/** Where the results of a message are kept for good. */
export type StoreResults = (row: ResultBlock) => Promise<void>;

/** Handles one message: checks the group's members, tells their objects what can matter, records the slot. */
export async function runSlot(scope: Scope, message: CheckMessage, keep: StoreResults): Promise<void> {
  const begun_at = scope.now();
  const { group, members } = await loadCheckGroup(scope.db, message.group_id, message.monitor_id);
  if (!group) return;
  const checked = await checkMonitors(scope, members, message);
  const slot = { ...message, group, begun_at, isWholeGroup: message.monitor_id === undefined };
  await Promise.all([
    recordChecks(scope, slot, checked),
    checked.length === 0 ? undefined : keep(historyRow(message, checked)),
  ]);
  if (slot.isWholeGroup && members.length === 0)
    await runBatch(scope.db, [deleteEmptyCheckGroup(scope.db, message.group_id)]);
}

export function historyRow(
  slot: Slot & Pick<CheckMessage, "group_id" | "monitor_id">,
  checked: readonly Checked[],
): ResultBlock {
  return {
    slot_at: slot.slot_at,
    attempt: slot.attempt,
    key: fnv1a(`${slot.group_id} ${slot.monitor_id ?? ""}`).toString(36),
    entries: checked.map(({ monitor, checked_at, result }) => ({
      monitor_id: monitor.id,
      checked_at,
      outcome: result.outcome,
      latency_ms: result.latency_ms,
      message: result.message.slice(0, MESSAGE_LENGTH_MAX),
    })),
  };
}

export function checkMonitors(scope: Scope, monitors: readonly MonitorRecord[], slot: Slot): Promise<Checked[]> {
  return mapConcurrently(monitors, CONNECTIONS, async (monitor) => {
    const checked_at = scope.now();
    const result = await verifyWithCanaries(scope, await probe(scope, monitor));
    return { monitor, checked_at, result, answer: await report(scope, monitor, slot, checked_at, result) };
  });
}

async function probe(scope: Scope, monitor: MonitorRecord): Promise<ProbeResult> {
  const { timeout_seconds, latency_threshold_ms } = monitor;
  return probeOnce(scope, monitor.type, {
    ...(await openSecrets(scope.settings, monitor)),
    timeout_seconds,
    latency_threshold_ms,
  });
}

/** One check from here, of whatever type; nothing is told or kept. */
export async function probeOnce(scope: Scope, type: MonitorType, job: CheckJob): Promise<ProbeResult> {
  const found = probeFor(type);
  if (found) return runProbe(found, job, edgeIo(egressOf(scope.settings)));
  return { outcome: "error", latency_ms: null, message: `${type} cannot be checked yet`, details: {} };
}

/** A fast success of a settled monitor cannot change anything, so its object is left asleep. */
async function report(
  scope: Scope,
  monitor: MonitorRecord,
  slot: Slot,
  checked_at: number,
  result: ProbeResult,
): Promise<MonitorSnapshot | null> {
  const isSynced = monitor.synced_version === monitor.config_version;
  if (monitor.settled && isSynced && result.outcome === "success") return null;
  const reported: CheckResult = {
    region: slot.region,
    slot_at: slot.slot_at,
    attempt: slot.attempt,
    checked_at,
    outcome: result.outcome,
    latency_ms: result.latency_ms,
    message: result.message,
  };
  return monitorObject(scope.env, monitor.id).report(monitor.id, monitor.config_version, [reported]);
}

interface RecordedSlot extends Slot {
  group: CheckGroupRecord;
  isWholeGroup: boolean;
  /** When the group's members were asked for. */
  begun_at: number;
}

/** One batch per message: what the objects decided, and the newest result of every member. Then the repeats. */
export async function recordChecks(scope: Scope, slot: RecordedSlot, checked: readonly Checked[]): Promise<void> {
  const silent = await markSilent(scope, slot, checked);
  const answers = checked.flatMap(({ monitor, answer }) => (answer ? [{ monitor, answer }] : []));
  const writes = [...answers, ...silent].flatMap(({ monitor, answer }) => buildProjection(scope, monitor, answer));
  const { group } = slot;
  const moving = checked.filter(({ result }) => laneOf(result) !== group.lane);
  const latest = {
    fresh: checked.filter((each) => !moving.includes(each)).map((each) => pack(each, slot)),
    replaced: checked.map(({ monitor }) => monitor.id),
    known: group.latest,
    // What is older belongs to monitors that have left the group.
    kept_from: slot.isWholeGroup ? slot.begun_at : 0,
  };
  const record = recordSlot(scope.db, group.id, slot.isWholeGroup ? slot.slot_at : null, latest);
  if (moving.length === 0) await runBatch(scope.db, [...writes, record]);
  else await changeLane(scope, slot, moving, [...writes, record]);
  await sendChecks(scope.env, checked.flatMap(repeatsOf), scope.now());
}

/** A target that timed out is checked in the slow lane from now on; like a new one, it leaves it with an answer in time. */
export function laneOf(result: ProbeResult): Lane {
  return result.cause === "timeout" ? "slow" : "normal";
}

async function changeLane(
  scope: Scope,
  slot: RecordedSlot,
  moving: readonly Checked[],
  writes: readonly Statement[],
): Promise<void> {
  const { group } = slot;
  const lane: Lane = group.lane === "slow" ? "normal" : "slow";
  const other = { ...group, id: inLane(group.id, lane), lane, latest: [] };
  const fresh = moving.map((each) => pack(each, slot));
  const replaced = moving.map(({ monitor }) => monitor.id);
  const [made] = await runBatch(scope.db, [
    insertCheckGroup(scope.db, other),
    ...writes,
    ...replaced.map((id) => moveToGroup(scope.db, id, { from: group.id, to: other.id })),
    recordSlot(scope.db, other.id, null, { fresh, replaced, known: [], kept_from: 0 }),
  ]);
  if (Array.isArray(made) && made.length > 0) await startGroup(scope.env, other, scope.now());
}

function repeatsOf({ monitor, answer, result }: Checked): ScheduledCheck[] {
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

/** A monitor that our own errors kept from being judged for too long is unknown; so is one that cannot be checked at all. */
async function markSilent(scope: Scope, slot: RecordedSlot, checked: readonly Checked[]) {
  const judged = new Map(slot.group.latest.map((packed) => [packed[0], packed[6]]));
  const marked = await mapConcurrently(checked, CONNECTIONS, async ({ monitor, result }) => {
    if (result.outcome !== "error" || monitor.status === "unknown") return [];
    const last_result_at = judged.get(monitor.id) ?? null;
    const knownUntil = (last_result_at ?? monitor.status_since) + staleAfterMs(monitor.interval);
    if (probeFor(monitor.type) && scope.now() < knownUntil) return [];
    const silence = { last_result_at, reason: result.message };
    const answer = await monitorObject(scope.env, monitor.id).markStale(monitor.id, monitor.config_version, silence);
    return answer ? [{ monitor, answer }] : [];
  });
  return marked.flat();
}

function pack({ monitor, checked_at, result }: Checked, slot: RecordedSlot): PackedResult {
  const before = slot.group.latest.find((packed) => packed[0] === monitor.id)?.[6] ?? null;
  const judgedAt = result.outcome === "error" ? before : checked_at;
  const message = result.message.slice(0, MESSAGE_LENGTH_MAX);
  return [monitor.id, checked_at, result.latency_ms, message, slot.region, result.outcome, judgedAt];
}
