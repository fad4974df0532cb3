import { loadNamedSecrets, openSecrets } from "../access/monitor-secrets.ts";
import type { Scope } from "../access/scope.ts";
import type { ProbeResult } from "../contract/check.ts";
import type { CheckerJob } from "../contract/checker.ts";
import type { CheckMessage } from "../contract/messages.ts";
import type { CheckResult } from "../contract/monitor-object.ts";
import type { ResultBlock } from "../contract/prober-object.ts";
import { type CheckGroupRecord, loadCheckGroup } from "../data/check-groups/read.ts";
import { deleteEmptyCheckGroup } from "../data/check-groups/write.ts";
import { runBatch } from "../data/db.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import { slotEndsAt } from "../domain/check-schedule.ts";
import { readsCertificate } from "../domain/expiries.ts";
import { CHECK_SIZES, findCostlyCheck } from "../domain/free-plan.ts";
import { toMeasuredCheck } from "../domain/rule-metrics.ts";
import { evaluateResultRules, type MonitorResult } from "../events/metric-rules.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { isRecord } from "../lib/is-record.ts";
import { withDeadline } from "../lib/with-deadline.ts";
import { sendChecks } from "../platform/check-queues.ts";
import { now } from "../platform/clock.ts";
import { monitorObject } from "../platform/monitor-objects.ts";
import { OBJECT_TIMEOUT_MS } from "../platform/object-timeout.ts";
import { handshakesItself, monitorType } from "../probes/registry.ts";
import { failedCheck } from "../probes/run.ts";
import { checkFrom } from "./region-checker.ts";
import { splitResting } from "./resting.ts";
import { type CheckedMonitor, type Slot, toResultBlock } from "./result-history.ts";
import { historyShardOf, recordChecks } from "./slot-record.ts";

/** Stores the results of a message in the history of a shard. */
export type StoreResults = (shardId: string, row: ResultBlock) => Promise<void>;

/** Handles one message: checks the members of the group, reports to their objects, records the slot. */
export async function runSlot(scope: Scope, message: CheckMessage, store: StoreResults): Promise<void> {
  const begun_at = scope.now;
  const size = CHECK_SIZES[scope.settings.PLAN].message;
  const { group, members } = await loadCheckGroup(scope.db, message.group_id, { ...message, size });
  if (!group || isRecorded(group, message) || isOutdated(group, message, begun_at)) return;
  const isFull = members.length === size;
  if (isFull) {
    const skip = (message.skip ?? 0) + members.length;
    await sendChecks(scope.env, [{ ...message, skip, run_at: begun_at }], begun_at);
  }
  const { due, resting } = splitResting(members, message, group);
  const checked = await checkMonitors(scope, due, message);
  const isFirst = isOfGroup(message);
  const isWholeGroup = isFirst && !isFull;
  const slot = { ...message, group, begun_at, isFirst, isWholeGroup, resting };
  // A repeated message finds its slot recorded and checks nothing, so that what was not stored before is lost.
  if (checked.length > 0) await store(historyShardOf(message, group.id, checked), toResultBlock(message, checked));
  await recordChecks(scope, slot, checked);
  await evaluateResultRules(
    scope,
    checked.map((each) => toMonitorResult(each, message)),
  );
  if (isWholeGroup && members.length === 0 && isLastOfMinute(group, message))
    await runBatch(scope.db, [deleteEmptyCheckGroup(scope.db, message.group_id)]);
}

export function toMonitorResult(checked: CheckedMonitor, { region }: Slot): MonitorResult {
  const { monitor, checked_at, result, answer } = checked;
  const locations_down = [...(answer?.locations_down ?? monitor.locations_down)];
  return { monitor: { ...monitor, locations_down }, region, ...toMeasuredCheck({ ...result, checked_at }) };
}

/** Whether this is the message of a group, not of one monitor or of members that exceed a message. */
function isOfGroup({ monitor_id, skip }: CheckMessage): boolean {
  return monitor_id === undefined && skip === undefined;
}

/** Whether this slot of the only region was checked before: a repeated message checks nothing again. */
function isRecorded({ regions, last_slot_at }: CheckGroupRecord, message: CheckMessage): boolean {
  const isScheduled = message.attempt === 0 && isOfGroup(message);
  return isScheduled && regions.length <= 1 && last_slot_at !== null && last_slot_at >= message.slot_at;
}

/** Checks that somebody ordered, and the repetition of a failed one, run however late they are. */
function isOutdated({ interval }: CheckGroupRecord, message: CheckMessage, at: number): boolean {
  return message.attempt === 0 && message.monitor_id === undefined && at > slotEndsAt(message.slot_at, interval);
}

/** Until then slots of the group are enqueued already, and a group of the same name would be checked twice in them. */
function isLastOfMinute({ interval }: CheckGroupRecord, { slot_at }: CheckMessage): boolean {
  return Math.floor((slot_at + interval * 1000) / MINUTE_MS) > Math.floor(slot_at / MINUTE_MS);
}

/** A monitor whose check or object fails costs its own result; the others of the message are not affected. */
export async function checkMonitors(
  scope: Scope,
  monitors: readonly MonitorRecord[],
  slot: Slot,
): Promise<CheckedMonitor[]> {
  const secrets = await loadNamedSecrets(scope, monitors);
  const opened = await Promise.all(
    monitors.map(async (monitor) => ({
      monitor,
      job: await openJob(scope, { monitor, secrets: secrets.get(monitor.id) }, slot),
    })),
  );
  const blocked = opened.flatMap(({ monitor, job }) => {
    const reason = findBlock(scope, job);
    return reason === null
      ? []
      : [{ monitor, checked_at: now(), result: failedCheck(reason), answer: null, blocked: reason }];
  });
  const readable = opened.flatMap(({ monitor, job }) =>
    job && findBlock(scope, job) === null ? [{ monitor, job }] : [],
  );
  const work = { region: slot.region, jobs: readable.map(({ job }) => job) };
  const checked = await checkFrom(scope, work, async (outcome, place): Promise<CheckedMonitor[]> => {
    const monitor = readable[place]?.monitor;
    if (!monitor) return [];
    // A checker's clock may be behind, and history keeps no check before its slot.
    const found = { monitor, ...outcome, checked_at: Math.max(outcome.checked_at, slot.slot_at) };
    return [{ ...found, ...(await report(scope, found, slot)) }];
  });
  return [...checked.flat(), ...blocked];
}

/** Why no check of a monitor can be made here. What the full edition made, the Workers Free plan may not be able to check. */
function findBlock({ settings }: Scope, job: CheckerJob | null): string | null {
  if (job === null) return "the stored secrets of the monitor cannot be decrypted";
  if (settings.PLAN === "paid") return null;
  const { type, fields } = job;
  const has_steps = isRecord(fields) && Array.isArray(fields.steps) && fields.steps.length > 0;
  const read = monitorType(type).options.safeParse(fields).data;
  return findCostlyCheck({ needs_tls: handshakesItself(type, read), has_steps });
}

async function openJob(
  scope: Scope,
  { monitor, secrets }: { monitor: MonitorRecord; secrets: Readonly<Record<string, string>> | undefined },
  slot: Slot,
): Promise<CheckerJob | null> {
  const { type, timeout_seconds, latency_threshold_ms, certificate_expires_at } = monitor;
  const isNew = !monitor.settled && monitor.certificate_expires_at === null;
  // A handshake of our own takes more CPU than an invocation has on the Workers Free plan.
  const maySpend = scope.settings.PLAN === "paid";
  const reads_certificate = maySpend && (isNew || slot.is_manual === true || readsCertificate(monitor, slot.slot_at));
  try {
    const opened = await openSecrets(scope.settings, monitor);
    const limits = { timeout_seconds, latency_threshold_ms };
    // What was good is kept of a monitor that comes to rest, and costs a settled one nothing.
    const read = { reads_certificate, certificate_expires_at, observes: maySpend && !monitor.settled };
    return { type, ...opened, ...(secrets && { secrets }), ...limits, ...read };
  } catch (error) {
    scope.log.error("monitor secrets", error, { monitor_id: monitor.id });
    return null;
  }
}

/** A fast success of a settled monitor cannot change anything, so its object is not called. */
async function report(
  scope: Scope,
  { monitor, checked_at, result }: Omit<CheckedMonitor, "answer">,
  slot: Slot,
): Promise<Pick<CheckedMonitor, "answer"> & { result?: ProbeResult }> {
  const isSynced = monitor.synced_version === monitor.config_version;
  if (monitor.settled && isSynced && result.outcome === "success") return { answer: null };
  const reported: CheckResult = {
    region: slot.region,
    slot_at: slot.slot_at,
    attempt: slot.attempt,
    checked_at,
    outcome: result.outcome,
    latency_ms: result.latency_ms,
    message: result.message,
    evidence: result.evidence,
    observation: result.observation,
  };
  try {
    const answering = monitorObject(scope.env, monitor.id).report(monitor.id, monitor.config_version, [reported]);
    return { answer: await withDeadline(answering, OBJECT_TIMEOUT_MS) };
  } catch (error) {
    scope.log.error("monitor object", error, { monitor_id: monitor.id });
    // The result did not count, so it must not make the monitor look checked.
    return { answer: null, result: failedCheck("the monitor's state is not available") };
  }
}
