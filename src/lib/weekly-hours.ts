import { DAY_MS, MINUTE_MS } from "./durations.ts";
import type { Parsed } from "./parse-result.ts";
import { zonedClock } from "./zoned-days.ts";

/** Hours of a week on the clock of a time zone, written as people write them: `Mon-Fri 08:00-18:00, Sat 10:00-14:00`. */

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const WEEK_MS = 7 * DAY_MS;
const SPANS_MAX = 14;
/** A Monday at midnight, as local times are written. */
const MONDAY = Date.UTC(2024, 0, 1);
const SPAN = /^(?:(mon|tue|wed|thu|fri|sat|sun)(?:-(mon|tue|wed|thu|fri|sat|sun))?\s+)?(\d\d?):(\d\d)-(\d\d?):(\d\d)$/i;

/** Half-open, in milliseconds of the week since Monday; one over the end of the week ends after WEEK_MS. */
export interface WeeklySpan {
  from: number;
  to: number;
}

/** A span without days is of each day; one that ends at or before its beginning ends on the next day. */
export function parseWeeklyHours(text: string): Parsed<WeeklySpan[]> {
  const parts = text.split(",").map((part) => part.trim());
  if (parts.length > SPANS_MAX) return { ok: false, reason: `must not hold more than ${SPANS_MAX} spans` };
  const spans: WeeklySpan[] = [];
  for (const part of parts) {
    const [, first, last = first, ...clock] = SPAN.exec(part) ?? [];
    const [hour = 24, minute = 60, toHour = 25, toMinute = 60] = clock.map(Number);
    const from = (hour * 60 + minute) * MINUTE_MS;
    const to = (toHour * 60 + toMinute) * MINUTE_MS;
    if (minute > 59 || toMinute > 59 || from >= DAY_MS || to > DAY_MS) {
      return { ok: false, reason: "must have spans such as Mon-Fri 08:00-18:00, separated by commas" };
    }
    for (const day of daysOf(first, last)) {
      spans.push({ from: day * DAY_MS + from, to: day * DAY_MS + (to > from ? to : to + DAY_MS) });
    }
  }
  return { ok: true, value: spans };
}

/** From the first to the last, over the end of the week where the last comes before. */
function daysOf(first: string | undefined, last: string | undefined): number[] {
  if (first === undefined || last === undefined) return DAYS.map((_day, n) => n);
  const from = DAYS.indexOf(first.toLowerCase());
  const count = ((DAYS.indexOf(last.toLowerCase()) - from + 7) % 7) + 1;
  return Array.from({ length: count }, (_, n) => (from + n) % 7);
}

/** Instants in and out of the hours; where clocks change, the hours follow the clock on the wall. */
export function weeklyHours(spans: readonly WeeklySpan[], timezone: string) {
  const clock = zonedClock(timezone);
  const timeOfWeek = (local: number) => (((local - MONDAY) % WEEK_MS) + WEEK_MS) % WEEK_MS;
  const holds = (time: number) =>
    spans.some(({ from, to }) => (time >= from && time < to) || (time + WEEK_MS >= from && time + WEEK_MS < to));
  return {
    contains: (at: number) => holds(timeOfWeek(clock.toLocal(at))),
    /** When they ended last, as seen from an instant outside of them. */
    endedBefore(at: number): number {
      const local = clock.toLocal(at);
      const since = spans.map(({ to }) => timeOfWeek(timeOfWeek(local) - to + MONDAY));
      return Math.min(at, clock.instantOf(local - Math.min(...since)));
    },
    /** When they begin next, as seen from an instant outside of them. */
    beginAfter(at: number): number {
      const local = clock.toLocal(at);
      const until = spans.map(({ from }) => timeOfWeek(from - timeOfWeek(local) + MONDAY));
      return Math.max(at, clock.instantOf(local + Math.min(...until)));
    },
  };
}
