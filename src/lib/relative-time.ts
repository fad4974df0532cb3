import { SHORT_DATE } from "./date-format.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "./durations.ts";
import { lazy } from "./lazy.ts";

const DAY = lazy(() => new Intl.DateTimeFormat("en-GB", { ...SHORT_DATE, timeZone: "UTC" }));
/** Beyond this a date says more than a number of days. */
const RELATIVE_MAX_MS = 30 * DAY_MS;

/** Formats an instant by its distance: `just now`, `5 min ago`, `in 3 h`, `12 days ago`, `3 Oct 2026`. */
export function relativeTime(at: number, now: number): string {
  const distance = Math.abs(at - now);
  if (distance > RELATIVE_MAX_MS) return DAY().format(at);
  if (distance < MINUTE_MS) return at > now ? "in a moment" : "just now";
  const span = spanOf(distance);
  return at > now ? `in ${span}` : `${span} ago`;
}

/** How long something lasts already: `20 s`, `5 min`, `34 days`. */
export function elapsedTime(since: number, now: number): string {
  const span = Math.max(0, now - since);
  return span < MINUTE_MS ? `${Math.floor(span / 1000)} s` : spanOf(span);
}

function spanOf(distance: number): string {
  if (distance < HOUR_MS) return `${Math.floor(distance / MINUTE_MS)} min`;
  if (distance < DAY_MS) return `${Math.floor(distance / HOUR_MS)} h`;
  return plural(Math.floor(distance / DAY_MS), "day");
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
