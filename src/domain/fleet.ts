import { type StatusInterval, TELLING_MIN_MS } from "./uptime.ts";

type Outage = Pick<StatusInterval, "from_at" | "to_at"> & { monitor_id: string };

interface Fleet {
  /** Outages of all monitors; one that goes on has no end. */
  down: readonly Outage[];
  count: number;
}

interface Span {
  from: number;
  to: number;
  now: number;
}

/** For each cell of a span the share of monitors that were down at some time in it, from 0 to 1. */
export function computeFleetCells({ down, count }: Fleet, { from, to, now }: Span, cells: number): number[] {
  const size = (to - from) / cells;
  const monitors = Array.from({ length: cells }, () => new Set<string>());
  for (const { monitor_id, from_at, to_at } of down) {
    const end = Math.min(to_at ?? now, to);
    const last = Math.min(cells - 1, Math.ceil((end - from) / size) - 1);
    for (let n = Math.max(0, Math.floor((from_at - from) / size)); n <= last; n += 1) monitors[n]?.add(monitor_id);
  }
  return monitors.map(({ size: failed }) => (count === 0 ? 0 : Math.min(1, failed / count)));
}

/**
 * Of all the time that monitors were watched, the percentage in which they were not down; null while one was watched for
 * too short a time, on average, to say one.
 */
export function computeFleetUptime(
  { down, count, watched_ms }: Fleet & { watched_ms: number },
  { since, until }: { since: number; until: number },
): number | null {
  if (count === 0 || watched_ms / count < TELLING_MIN_MS) return null;
  const lost = down.reduce((sum, { from_at, to_at }) => {
    const end = Math.min(to_at ?? until, until);
    return sum + Math.max(0, end - Math.max(from_at, since));
  }, 0);
  // Rounded down, so that what was down is never 100 %.
  return Math.max(0, Math.floor((1 - lost / watched_ms) * 10_000) / 100);
}
