import type { CheckMessage } from "../contract/messages.ts";
import type { ResultBlock } from "../contract/prober-object.ts";
import { fnv1a } from "../lib/fnv.ts";
import type { CheckedMonitor } from "./runner.ts";

const MESSAGE_LENGTH_MAX = 200;

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
    })),
  };
}
