import type { MaintenanceStatus } from "../contract/maintenance.ts";
import { type Occurrence, occurrencesFrom, type Recurrence } from "./recurrence.ts";

export interface MaintenanceWindow extends Recurrence {
  /** Starts of occurrences that do not take place. */
  cancelled_starts: readonly number[];
  /** Occurrences that start before this are over, independent of their end. */
  done_until: number;
}

/** The occurrence in progress, else the next one; null when none is left. */
export function findOccurrence(window: MaintenanceWindow, timezone: string, now: number): Occurrence | null {
  return listOccurrences(window, timezone, { from: now, to: Number.POSITIVE_INFINITY, max: 1 })[0] ?? null;
}

/** Those that take place, end after `from` and start before `to`, at most so many. */
export function listOccurrences(
  window: MaintenanceWindow,
  timezone: string,
  { from, to, max }: { from: number; to: number; max: number },
): Occurrence[] {
  const found: Occurrence[] = [];
  if (max <= 0) return found;
  for (const occurrence of occurrencesFrom(window, timezone, from)) {
    if (occurrence.start_at >= to) break;
    if (occurrence.start_at < window.done_until || window.cancelled_starts.includes(occurrence.start_at)) continue;
    found.push(occurrence);
    if (found.length >= max) break;
  }
  return found;
}

export function maintenanceStatus(occurrence: Occurrence | null, now: number): MaintenanceStatus {
  if (!occurrence) return "completed";
  return occurrence.start_at <= now ? "in_progress" : "scheduled";
}

interface Tracked {
  occurrence_start_at: number | null;
  occurrence_end_at: number | null;
  next_edge_at: number | null;
}

/**
 * The next boundary of a stored window. The start of an occurrence stays due, even in the past, until it is announced:
 * `announced` is the start of the latest announced occurrence.
 */
export function trackBoundary(occurrence: Occurrence | null, announced: number | null): Tracked {
  if (!occurrence) return { occurrence_start_at: null, occurrence_end_at: null, next_edge_at: null };
  const { start_at, end_at } = occurrence;
  return {
    occurrence_start_at: start_at,
    occurrence_end_at: end_at,
    next_edge_at: announced === start_at ? end_at : start_at,
  };
}

/** The start of the tracked occurrence if it is announced, else null. */
export function announcedStart({ occurrence_start_at, occurrence_end_at, next_edge_at }: Tracked): number | null {
  return next_edge_at !== null && next_edge_at === occurrence_end_at ? occurrence_start_at : null;
}
