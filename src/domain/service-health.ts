import { QUEUES, type QueueName } from "../contract/queues.ts";
import type { WorkersPlan } from "../contract/workers-plan.ts";
import { DATABASE_BYTES_MAX } from "./free-plan.ts";

/** What is known of the service's own machinery. */
export interface KnownQueues {
  queues: readonly { queue: QueueName; marker_sent_at: number | null }[];
  /** The oldest and the newest planned minute that are still known; null before the first tick. */
  first_tick_at: number | null;
  last_tick_at: number | null;
}

/**
 * Queues whose markers stopped arriving. Markers are sent with every tick, so they are compared with the newest tick: a
 * clock that stands still makes no queue late. A queue without any marker is late once ticks have run for that long.
 */
export function listLateQueues(
  { queues, first_tick_at, last_tick_at }: KnownQueues,
  delayedAfterMs: number,
): QueueName[] {
  if (last_tick_at === null) return [];
  const sentAt = new Map(queues.map(({ queue, marker_sent_at }) => [queue, marker_sent_at]));
  return QUEUES.filter((queue) => {
    const arrived = sentAt.get(queue) ?? first_tick_at ?? last_tick_at;
    return last_tick_at - arrived > delayedAfterMs;
  });
}

/** A full database stops every account, and moving data out of it takes time. */
const DATABASE_WARN_PERCENT = 70;

export function computeDatabaseUse(
  bytes: number,
  plan: WorkersPlan = "paid",
): { percent: number; is_nearly_full: boolean } {
  const percent = Math.floor((bytes / DATABASE_BYTES_MAX[plan]) * 100);
  return { percent, is_nearly_full: percent >= DATABASE_WARN_PERCENT };
}
