import type { Push, StoredPush } from "../contract/monitor-object.ts";
import type { Heartbeat } from "../contract/push.ts";
import type { Deadline, PushState } from "../domain/push-deadline.ts";
import { nextSlot } from "../domain/push-evaluation.ts";
import type { RoundResult } from "../domain/rounds.ts";
import { isCurrentCredential } from "./push-credential.ts";
import type { StoredMonitor } from "./stored-monitor.ts";

/**
 * Heartbeats that say no more than that all is well, of a monitor that is up: nearly all of them. Each replaces the times
 * of the one before it and nothing else. So none is decided anew, and the times are changed in place, which saves a tenth
 * of what a heartbeat costs.
 */
export interface RepeatedHeartbeats {
  /** The monitor that they leave as it is; they end when the object replaces it. */
  readonly of: StoredMonitor;
  readonly push: NonNullable<StoredMonitor["push"]>;
  readonly interval_ms: number;
  /** How long after a heartbeat the next one is still in time. */
  readonly patience_ms: number;
  /** How long after a heartbeat its absence changes the status. */
  readonly decisive_ms: number;
  /** The newest one, as the ring stores it. */
  readonly entry: StoredPush;
  readonly memory: PushState & { result: RoundResult };
}

/** Starts after a push that was just decided; undefined if the next heartbeat may change more than times. */
export function startRepeating(
  stored: StoredMonitor,
  entry: StoredPush,
  deadline: Deadline | null,
): Omit<RepeatedHeartbeats, "decisive_ms"> | undefined {
  const { push, settled } = stored;
  if (!settled || push?.rules.kind !== "heartbeat" || push.evaluates_rules || !isPlain(entry.beat)) return undefined;
  const { memory, rules } = push;
  const { result, runs } = memory;
  const at = entry.received_at;
  if (deadline === null || runs.length > 0 || result?.checked_at !== at) return undefined;
  // The times of a schedule are not evenly spaced.
  if (typeof rules.every !== "number") return undefined;
  const patience_ms = deadline.at - at;
  const own = { ...memory, result: { ...result } };
  return { of: stored, push, interval_ms: rules.every, patience_ms, entry: { ...entry }, memory: own };
}

export function isRepeated({ push, patience_ms, memory }: RepeatedHeartbeats, pushed: Push, at: number): boolean {
  const waited = at - memory.result.checked_at;
  if (pushed.reads_text !== true || waited < 0 || waited > patience_ms) return false;
  return isPlain(pushed.beat) && isCurrentCredential(push, pushed);
}

export function repeatAt({ entry, memory }: RepeatedHeartbeats, at: number): void {
  memory.count += 1;
  memory.since = at;
  memory.judged_to = at;
  memory.result.slot_at = nextSlot(memory.result.slot_at, at);
  memory.result.checked_at = at;
  entry.received_at = at;
}

function isPlain(beat: Heartbeat | undefined): boolean {
  if (beat?.status !== "ok" || beat.message !== null || beat.duration_ms !== null) return false;
  return beat.exit_code === null && beat.run_id === null;
}
