import type { Scope } from "../access/scope.ts";
import type { ProbeResult } from "../contract/check.ts";
import type { CheckMessage, HistoryMessage } from "../contract/messages.ts";
import type { MonitorSnapshot } from "../contract/monitor-object.ts";
import type { ResultBlock } from "../contract/prober-object.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import { fnv1a } from "../lib/fnv.ts";
import { withDeadline } from "../lib/with-deadline.ts";
import { OBJECT_TIMEOUT_MS, REQUEST_OBJECT_TIMEOUT_MS } from "../platform/object-timeout.ts";
import { proberObject } from "../platform/prober-objects.ts";

export interface Slot {
  region: string;
  slot_at: number;
  attempt: number;
  /** A request waits for the result and shows all of it. */
  is_manual?: boolean;
}

export interface CheckedMonitor {
  monitor: MonitorRecord;
  checked_at: number;
  /** The data centre that the check ran in, if known. */
  colo?: string | null | undefined;
  result: ProbeResult;
  /** Null when the object was not called, did not respond, or belongs to a deleted monitor. */
  answer: MonitorSnapshot | null;
  /** Why no check of this monitor can succeed until its configuration changes. */
  blocked?: string;
}

const MESSAGE_LENGTH_MAX = 200;
/** A queue takes 128 kB a message: https://developers.cloudflare.com/queues/platform/limits/ */
const QUEUED_BYTES_MAX = 100_000;
const QUEUED_DELAY_S = 5;

/** The message of a result as history and lists keep it. */
export const shortMessage = (message: string): string => message.slice(0, MESSAGE_LENGTH_MAX);

/** The results of one message as the prober object stores them. */
export function toResultBlock(
  slot: Pick<CheckMessage, "group_id" | "monitor_id" | "skip" | "slot_at" | "attempt" | "region">,
  checked: readonly CheckedMonitor[],
): ResultBlock {
  return {
    slot_at: slot.slot_at,
    attempt: slot.attempt,
    key: fnv1a(`${slot.group_id} ${slot.monitor_id ?? ""}${slot.skip ?? ""}`).toString(36),
    entries: checked.map(({ monitor, checked_at, colo, result }) => ({
      monitor_id: monitor.id,
      checked_at,
      outcome: result.outcome,
      latency_ms: result.latency_ms,
      message: shortMessage(result.message),
      colo: colo ?? null,
      details: result.details,
      ...(result.phases && { phases: result.phases }),
    })),
  };
}

/** Stores the results of a message. Where their object fails or hangs, a message of its own repeats that, not the checks. */
export async function storeResults(scope: Scope, results: HistoryMessage): Promise<void> {
  try {
    await recordResults(scope, results, REQUEST_OBJECT_TIMEOUT_MS);
  } catch (error) {
    scope.log.error("result history", error, { shard_id: results.shard_id, region: results.region });
    await scope.env.CHECKS.send({ kind: "results", ...toQueued(results) }, { delaySeconds: QUEUED_DELAY_S });
  }
}

/** Repeated, it changes nothing. */
export async function recordResults(
  { env }: Scope,
  { shard_id, region, block }: HistoryMessage,
  timeoutMs = OBJECT_TIMEOUT_MS,
): Promise<void> {
  await withDeadline(proberObject(env, shard_id, region).record(block), timeoutMs);
}

/** Without the details where they are too long for a message. */
function toQueued(results: HistoryMessage): HistoryMessage {
  if (new TextEncoder().encode(JSON.stringify(results)).length <= QUEUED_BYTES_MAX) return results;
  const entries = results.block.entries.map(({ details, ...entry }) => entry);
  return { ...results, block: { ...results.block, entries } };
}
