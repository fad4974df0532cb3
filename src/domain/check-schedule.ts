import type { Region } from "../contract/monitor-values.ts";
import { SECOND_MS } from "../lib/durations.ts";
import { fnv1a } from "../lib/fnv.ts";

/**
 * When checks run. Monitors are checked in groups: one shard, interval, set of regions and lane. A group's slots lie on
 * a fixed grid of its own, `phase + n × interval`, so that groups do not all fire at once and every caller computes the
 * same instants.
 */
export type Lane = "normal" | "slow";

export interface CheckGroupKey {
  shard_id: string;
  /** Seconds. */
  interval: number;
  regions: readonly Region[];
  lane: Lane;
}

export const STALE_AFTER_MIN_MS = 180 * SECOND_MS;
const RETRY_INTERVAL_DEFAULT_S = 20;
/** By as much the clock of an agent may be ahead before its check counts for the slot before. */
const EARLY_MAX_MS = 2 * SECOND_MS;
/** After the time-out of a check, for the way of its result. */
const VOTE_GRACE_MS = 5 * SECOND_MS;

/** A round looks so soon for agents that are gone; those that are there begin within two seconds of each other. */
export const VOTE_LOOK_MS = 3 * SECOND_MS;

/** How long a round waits for its agents. They begin with its first check, and nobody checks for longer than the time-out. */
export function voteWaitMs(timeoutSeconds: number): number {
  return timeoutSeconds * SECOND_MS + VOTE_GRACE_MS;
}
/** A check may take its time before its slot is recorded. */
export const SLOT_GRACE_MS = 30 * SECOND_MS;

export function checkGroupId(key: CheckGroupKey): string {
  return [key.shard_id, key.interval, key.regions.join("+") || "any", key.lane].join("/");
}

/** Where in its interval a group fires, in whole seconds; the same in both lanes, so that changing lanes skips no slot. */
export function phaseOf(groupId: string, intervalMs: number): number {
  const grid = groupId.slice(0, groupId.lastIndexOf("/"));
  return (fnv1a(grid) % Math.max(1, Math.floor(intervalMs / SECOND_MS))) * SECOND_MS;
}

export function shardOf(groupId: string): string {
  return groupId.slice(0, groupId.indexOf("/"));
}

/** The same group in the other lane: slow targets are checked apart, so that they delay no other monitor. */
export function inLane(groupId: string, lane: Lane): string {
  return `${groupId.slice(0, groupId.lastIndexOf("/"))}/${lane}`;
}

/** The group of the same interval, regions and lane in another shard. */
export function inShard(groupId: string, shardId: string): string {
  return `${shardId}${groupId.slice(groupId.indexOf("/"))}`;
}

/** The newest slot at or before an instant. */
export function slotBefore(groupId: string, intervalMs: number, instant: number): number {
  const phase = phaseOf(groupId, intervalMs);
  return Math.floor((instant - phase) / intervalMs) * intervalMs + phase;
}

/** What the checks of a monitor's agents have in common with those of the edge, or with each other where no edge checks. */
interface Gridded {
  id: string;
  /** Empty where the edge does not check. */
  check_group_id: string;
  interval: number;
}

const gridOf = ({ id, check_group_id }: Gridded) => check_group_id || `${id}/agents`;

/** Where in the interval the agents of a monitor check. */
export function agentPhaseOf(monitor: Gridded): number {
  return phaseOf(gridOf(monitor), monitor.interval * SECOND_MS);
}

/** The slot of a check that an agent began at an instant. */
export function agentSlotOf(monitor: Gridded, checkedAt: number): number {
  return slotBefore(gridOf(monitor), monitor.interval * SECOND_MS, checkedAt + EARLY_MAX_MS);
}

/** All slots in `[from, to)`, oldest first. */
export function slotsWithin(groupId: string, intervalMs: number, from: number, to: number): number[] {
  const slots = [];
  for (let slot = slotBefore(groupId, intervalMs, from - 1) + intervalMs; slot < to; slot += intervalMs)
    slots.push(slot);
  return slots;
}

/** How long a result is valid for the present. */
export function staleAfterMs(intervalSeconds: number): number {
  return Math.max(3 * intervalSeconds * SECOND_MS, STALE_AFTER_MIN_MS);
}

/** The same of a monitor, which may be checked less often while it is down. */
export function validForMs({ interval, options }: { interval: number; options: Record<string, unknown> }): number {
  const { interval_down } = options;
  return staleAfterMs(typeof interval_down === "number" ? Math.max(interval, interval_down) : interval);
}

/** How old the newest slot of a group may be before its checks are late. */
export function delayedAfterMs(intervalSeconds: number, atLeastMs: number): number {
  return Math.max(2 * intervalSeconds * SECOND_MS + SLOT_GRACE_MS, atLeastMs);
}

/** The delay of the service's checks, as far as it concerns some monitors. */
export interface CheckLag {
  last_tick_at: number | null;
  /** The newest slot of those among their check groups that are late. */
  late_since: number | null;
}

/** When the last checks ran, while checks are late; null while they are on time, or before the first tick ever. */
export function findDelayedSince(known: CheckLag, now: number, atLeastMs: number): number | null {
  const isTickLate = known.last_tick_at !== null && now - known.last_tick_at > atLeastMs;
  const late = [isTickLate ? known.last_tick_at : null, known.late_since].filter((at) => at !== null);
  return late.length === 0 ? null : Math.min(...late);
}

/**
 * Until when a scheduled slot may begin. A later one says nothing of its time, and the slots after it are due as well: after a
 * queue that stood still one target would get all of them at once.
 */
export function slotEndsAt(slotAt: number, intervalSeconds: number): number {
  return slotAt + intervalSeconds * SECOND_MS + SLOT_GRACE_MS;
}

export function retryIntervalMs(intervalSeconds: number, retryIntervalSeconds: number | null): number {
  return (retryIntervalSeconds ?? Math.min(intervalSeconds, RETRY_INTERVAL_DEFAULT_S)) * SECOND_MS;
}

/** How long after the failure of an attempt, the first being 0, the check is repeated. */
export function retryDelayMs(
  schedule: { interval_ms: number; retry_interval_ms: number; is_backoff?: boolean },
  attempt: number,
): number {
  const { interval_ms, retry_interval_ms, is_backoff } = schedule;
  if (!is_backoff) return retry_interval_ms;
  return Math.max(retry_interval_ms, Math.min(interval_ms, retry_interval_ms * 2 ** attempt));
}
