/**
 * What withholds the alerts about a change of a monitor: a maintenance window, a mute, a rule, or the outage of a monitor
 * that it depends on. Each holds in the same way: what begins in it is announced when nothing withholds it any more, if it lasts until then.
 */
export interface Withholding {
  /** The window. */
  suppressed_by: string | null;
  muted_until: number | null;
  /** Until when a rule withholds it. */
  suppressed_until: number | null;
  /** The monitor that it depends on. */
  waits_for: string | null;
}

/** After the recovery of what it depends on, a monitor has the time for a check of its own before it is announced. */
export const GRACE_MAX_MS = 5 * 60_000;

export function graceMs({ interval, timeout_seconds }: { interval: number; timeout_seconds: number }): number {
  return Math.min((interval + timeout_seconds) * 1000, GRACE_MAX_MS);
}

export function isWithheld({ suppressed_by, muted_until, suppressed_until, waits_for }: Withholding): boolean {
  return suppressed_by !== null || muted_until !== null || suppressed_until !== null || waits_for !== null;
}
