import type { RecurrenceType } from "../contract/maintenance.ts";
import { assertNever } from "../lib/assert-never.ts";
import { DAY_MS, HOUR_MS } from "../lib/durations.ts";
import { zonedClock } from "../lib/zoned-days.ts";

/** A clock change takes at most this from the time between two occurrences. */
const CLOCK_CHANGE_MAX_MS = 2 * HOUR_MS;
/** Days of a year, with every clock change in it. */
const WALKED_MAX = 370;

export interface Recurrence {
  start_time: number;
  end_time: number;
  recurrence_type: RecurrenceType;
  recurrence_interval: number;
  /** No occurrence starts after this. */
  recurrence_end_date: number | null;
  /** 0 = Sunday; for weekly. */
  recurrence_day_of_week: number | null;
  /** For monthly. */
  recurrence_day_of_month: number | null;
}

/** Half-open. */
export interface Occurrence {
  start_at: number;
  end_at: number;
}

/**
 * The occurrences that end after `from`, in their order, without end where the rule has none. They keep the time of day of
 * start_time on the clocks of the zone: a time that a clock change skips moves forward by what is skipped, one that exists
 * twice means the first; the day 29 to 31 of a shorter month is its last one. Every occurrence lasts as long as the first
 * (RFC 5545, 3.8.5.3). Choice: a weekday or day of month that start_time does not have begins with the first such day
 * after it, and the interval is counted from there.
 */
export function* occurrencesFrom(rule: Recurrence, timezone: string, from: number): Generator<Occurrence> {
  const lasts = rule.end_time - rule.start_time;
  const last = rule.recurrence_end_date ?? Number.POSITIVE_INFINITY;
  let before = Number.NEGATIVE_INFINITY;
  for (const start_at of startsFrom(rule, timezone, from - lasts)) {
    if (start_at > last) return;
    // Where a zone skipped a whole day, two days of its calendar meet in one instant.
    if (start_at > before && start_at + lasts > from) yield { start_at, end_at: start_at + lasts };
    before = start_at;
  }
}

/** Why a rule cannot be: one sentence, or null. */
export function findRecurrenceError(rule: Recurrence, timezone: string): string | null {
  if (rule.end_time <= rule.start_time) return "end_time must be after start_time";
  if (rule.recurrence_type === "none") return null;
  if (overlapsItself(rule, timezone)) {
    return "end_time must be early enough for one occurrence to end before the next begins";
  }
  const [first] = occurrencesFrom(rule, timezone, rule.start_time);
  return first ? null : "recurrence_end_date must leave room for one occurrence";
}

/**
 * Whether one occurrence still lasts when the next begins. One that is nearly as long as its period may do so on the day of
 * a clock change or in a short month alone, so such a rule is walked through a year of days and many more weeks or months.
 */
function overlapsItself(rule: Recurrence, timezone: string): boolean {
  const days = { none: Number.POSITIVE_INFINITY, daily: 1, weekly: 7, monthly: 28 }[rule.recurrence_type];
  const shortest = days * rule.recurrence_interval * DAY_MS - CLOCK_CHANGE_MAX_MS;
  if (rule.end_time - rule.start_time <= shortest) return false;
  let [walked, end] = [0, Number.NEGATIVE_INFINITY];
  for (const { start_at, end_at } of occurrencesFrom(rule, timezone, rule.start_time)) {
    if (start_at < end) return true;
    if (++walked > WALKED_MAX) return false;
    end = end_at;
  }
  return false;
}

/** All starts from shortly before `from` on. */
function* startsFrom(rule: Recurrence, timezone: string, from: number): Generator<number> {
  if (rule.recurrence_type === "none") {
    yield rule.start_time;
    return;
  }
  const clock = zonedClock(timezone);
  const begin = rule.start_time + clock.offsetAt(rule.start_time);
  const localAt = localStarts({ ...rule, recurrence_type: rule.recurrence_type }, begin);
  // Local time and UTC differ by less than a day, so one step back would do.
  for (let n = Math.max(0, localAt.stepsUntil(from) - 2); ; n += 1) {
    const local = localAt.step(n);
    yield local === begin ? rule.start_time : clock.instantOf(local);
  }
}

type Repeated = Recurrence & { recurrence_type: Exclude<RecurrenceType, "none"> };

/** The readings of the zone's clocks at which occurrences begin, as far as clocks show them. */
function localStarts(rule: Repeated, begin: number) {
  const { recurrence_type: type, recurrence_interval: interval } = rule;
  switch (type) {
    case "daily":
      return everyDays(begin, interval);
    case "weekly": {
      const weekday = new Date(begin).getUTCDay();
      const wanted = rule.recurrence_day_of_week ?? weekday;
      return everyDays(begin + ((wanted - weekday + 7) % 7) * DAY_MS, 7 * interval);
    }
    case "monthly":
      return everyMonths(begin, interval, rule.recurrence_day_of_month);
    default:
      return assertNever(type);
  }
}

function everyDays(first: number, days: number) {
  return {
    step: (n: number) => first + n * days * DAY_MS,
    stepsUntil: (instant: number) => Math.floor((instant - first) / (days * DAY_MS)),
  };
}

function everyMonths(begin: number, months: number, dayOfMonth: number | null) {
  const date = new Date(begin);
  const timeOfDay = begin - Math.floor(begin / DAY_MS) * DAY_MS;
  const day = dayOfMonth ?? date.getUTCDate();
  const inMonth = (month: number) => {
    const lastDay = new Date(Date.UTC(date.getUTCFullYear(), month + 1, 0)).getUTCDate();
    return Date.UTC(date.getUTCFullYear(), month, Math.min(day, lastDay)) + timeOfDay;
  };
  const first = date.getUTCMonth() + (inMonth(date.getUTCMonth()) < begin ? 1 : 0);
  return {
    step: (n: number) => inMonth(first + n * months),
    stepsUntil: (instant: number) => {
      const then = new Date(instant);
      const passed = (then.getUTCFullYear() - date.getUTCFullYear()) * 12 + then.getUTCMonth() - first;
      return Math.floor(passed / months);
    },
  };
}
