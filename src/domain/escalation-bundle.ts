import { MINUTE_MS, SECOND_MS } from "../lib/durations.ts";

/** Outages of one page within this time are one mass failure, if they are many. */
export const MASS_FAILURE_MS = 1.5 * MINUTE_MS;
const OUTAGES_MIN = 5;
const SHARE_MIN = 0.2;

/**
 * A page with fewer monitors has no mass failure. On others the first step waits this long for outages of the same moment,
 * so that they are one message.
 */
export const MASS_FAILURE_MONITORS_MIN = OUTAGES_MIN;
export const GATHER_MS = 3 * SECOND_MS;

export function isMassFailure({ outages, monitors }: { outages: number; monitors: number }): boolean {
  return outages >= Math.max(OUTAGES_MIN, Math.ceil(monitors * SHARE_MIN));
}
