import { DAY_MS } from "./durations.ts";
/** Calendar days of a time zone, which are 23, 24 or 25 hours long, as instants. Dates are texts of the form 2026-11-21. */

export interface ZonedDay {
  date: string;
  /** First instant of the day; the next day's is its end. */
  from_at: number;
  to_at: number;
}

/** The last `count` days up to the one that holds `now`, oldest first. */
export function listDaysUntil(now: number, timezone: string, count: number): ZonedDay[] {
  const clock = zonedClock(timezone);
  const shown = Date.parse(isoDate(clock.toLocal(now)));
  // A clock that goes back just after midnight shows the day before again, although the next one has begun.
  const today = clock.firstInstantOf(shown + DAY_MS) <= now ? shown + DAY_MS : shown;
  return listDays(clock, today - (count - 1) * DAY_MS, count);
}

/** The days of a calendar month, which is written as 2026-11. */
export function listDaysOfMonth(month: string, timezone: string): ZonedDay[] {
  const clock = zonedClock(timezone);
  const first = Date.parse(`${month}-01`);
  const end = Date.parse(`${nextMonth(month)}-01`);
  return listDays(clock, first, (end - first) / DAY_MS);
}

function listDays(clock: ReturnType<typeof zonedClock>, first: number, count: number): ZonedDay[] {
  const starts = Array.from({ length: count + 1 }, (_, n) => first + n * DAY_MS);
  const instants = starts.map((midnight) => clock.firstInstantOf(midnight));
  return starts
    .slice(0, count)
    .map((midnight, n) => ({ date: isoDate(midnight), from_at: instants[n] ?? 0, to_at: instants[n + 1] ?? 0 }));
}

export function monthOf(date: string): string {
  return date.slice(0, 7);
}

export function nextMonth(month: string): string {
  const [year = 0, number = 0] = month.split("-").map(Number);
  return monthOf(isoDate(Date.UTC(year, number, 1)));
}

export function dateIn(timezone: string, instant: number): string {
  return isoDate(zonedClock(timezone).toLocal(instant));
}

function isoDate(local: number): string {
  return new Date(local).toISOString().slice(0, 10);
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** What a person reads beside a field: `Europe/Berlin, UTC+1`, or `UTC`. */
export function zoneLabel(timezone: string, at: number): string {
  if (timezone === "UTC") return timezone;
  const minutes = Math.round(zonedClock(timezone).offsetAt(at) / 60_000);
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${timezone}, UTC${minutes < 0 ? "−" : "+"}${hours}${rest === 0 ? "" : `:${String(rest).padStart(2, "0")}`}`;
}

/** Local times are written as the epoch milliseconds that UTC would have at that reading of the clock. */
export function zonedClock(timezone: string) {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    calendar: "iso8601",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  const toLocal = (instant: number) => {
    const field: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(instant)) field[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = field;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };
  const offsetAt = (instant: number) => {
    const whole = Math.floor(instant / 1000) * 1000;
    return toLocal(whole) - whole;
  };
  /**
   * A clock change near midnight leaves two candidates, one for each offset. Where midnight exists twice the first one
   * counts; where it is skipped, the day begins with the change itself, which is midnight by the earlier offset.
   */
  const firstInstantOf = (midnight: number) => {
    const candidates = [midnight - offsetAt(midnight - DAY_MS), midnight - offsetAt(midnight + DAY_MS)];
    const inDay = candidates.filter((instant) => toLocal(instant) >= midnight);
    return inDay.length > 0 ? Math.min(...inDay) : Math.max(...candidates);
  };
  /** A time that exists twice means the first; one that is skipped moves forward by what is skipped. */
  const instantOf = (local: number) => {
    const before = local - offsetAt(local - DAY_MS);
    const after = local - offsetAt(local + DAY_MS);
    const exact = [before, after].filter((instant) => instant + offsetAt(instant) === local);
    return exact.length > 0 ? Math.min(...exact) : before;
  };
  return { toLocal, firstInstantOf, instantOf, offsetAt };
}
