import type { CheckRules } from "../contract/check-rules.ts";
import { SECOND_MS } from "../lib/durations.ts";
import { parseWeeklyHours, weeklyHours } from "../lib/weekly-hours.ts";

/** When a monitor is not checked although a check could be made: outside of its hours, or while it is down. */

/** How the message of a monitor begins that rests outside of its hours. */
export const OUTSIDE_HOURS = "outside of its hours";

export type Hours = ReturnType<typeof weeklyHours>;

/** Null where it is checked at any time. */
export function hoursOf({ hours, hours_timezone }: Pick<CheckRules, "hours" | "hours_timezone">): Hours | null {
  const parsed = hours === "" ? null : parseWeeklyHours(hours);
  return parsed?.ok ? weeklyHours(parsed.value, hours_timezone || "UTC") : null;
}

export function describeRest({ hours, hours_timezone }: Pick<CheckRules, "hours" | "hours_timezone">): string {
  return `${OUTSIDE_HOURS}: ${hours}, ${hours_timezone || "UTC"}`;
}

/** Every how many of its intervals a monitor that is down is checked. */
export function intervalsWhileDown(intervalSeconds: number, intervalDownSeconds: number | null): number {
  return Math.max(1, Math.ceil((intervalDownSeconds ?? 0) / intervalSeconds));
}

/** Whether a slot is one of those in which a monitor that is down is checked, in all of its regions. */
export function isDueWhileDown(slotAt: number, intervalSeconds: number, every: number): boolean {
  return Math.floor(slotAt / (intervalSeconds * SECOND_MS)) % every === 0;
}
