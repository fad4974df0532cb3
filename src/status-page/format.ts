import type { PageTexts } from "../language/texts.ts";
import { SHORT_DATE, TIME_OF_DAY } from "../lib/date-format.ts";
import { secondsBetween } from "../lib/duration-format.ts";
import { dateIn } from "../lib/zoned-days.ts";

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

const A_MONDAY = Date.parse("2026-01-05");

/** An instant as ISO 8601 and as formatted text. */
export interface Moment {
  iso: string;
  text: string;
}

/** From one instant to another; on one day the second one needs no date. */
export interface Span {
  from: Moment;
  to: Moment;
  isOneDay: boolean;
}

/** Since when something lasts: for a day by how long that is, then by its date. */
export type Lasting = { kind: "duration"; since: Moment; text: string } | { kind: "date"; since: Moment };

export interface Formats {
  /** Date and time of day in the page's zone. */
  moment(instant: number): Moment;
  span(from: number, to: number): Span;
  /** A date such as 2026-11-21, which already is one of the page's zone. */
  date(date: string): Moment;
  /** A month such as 2026-11. */
  month(month: string): string;
  /** In one letter or two, from Monday on. */
  weekdays: readonly string[];
  /** The two largest units: "3 h 20 min". */
  duration(ms: number): string;
  /** The same in whole minutes, for what still grows. */
  age(ms: number): string;
  lasting(since: number, now: number): Lasting;
  /** Two decimals, rounded down as the value itself is: 99.999 does not read as 100. */
  percentage(percentage: number): string;
  /** With at most two decimals. */
  number(value: number): string;
}

const made = new WeakMap<PageTexts, Map<string, Formats>>();
/** Zones that visitors cannot choose: each page has one. */
const MADE_MAX = 500;

/** Formats are costly to make, so an isolate makes those of a zone once for the texts of a language. */
export function createFormats(timezone: string, texts: PageTexts): Formats {
  const own = made.get(texts) ?? new Map<string, Formats>();
  made.set(texts, own);
  const known = own.get(timezone);
  if (known) return known;
  if (own.size >= MADE_MAX) own.clear();
  const formats = makeFormats(timezone, texts);
  own.set(timezone, formats);
  return formats;
}

function makeFormats(timezone: string, { locale, units, monitor }: PageTexts): Formats {
  const moments = new Intl.DateTimeFormat(locale, { timeZone: timezone, ...SHORT_DATE, ...TIME_OF_DAY });
  const dates = new Intl.DateTimeFormat(locale, { timeZone: "UTC", ...SHORT_DATE });
  const clocks = new Intl.DateTimeFormat(locale, { timeZone: timezone, ...TIME_OF_DAY });
  const months = new Intl.DateTimeFormat(locale, { timeZone: "UTC", month: "long", year: "numeric" });
  const weekday = new Intl.DateTimeFormat(locale, { timeZone: "UTC", weekday: "narrow" });
  const percents = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 2 });
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
  const moment = (instant: number) => ({ iso: new Date(instant).toISOString(), text: moments.format(instant) });
  const age = (ms: number) =>
    ms < MINUTE_S * 1000 ? monitor.moment : formatDuration(ms - (ms % (MINUTE_S * 1000)), units);
  return {
    age,
    lasting: (since, now) =>
      now - since < DAY_S * 1000
        ? { kind: "duration", since: moment(since), text: age(now - since) }
        : { kind: "date", since: moment(since) },
    number: (value) => numbers.format(value),
    weekdays: Array.from({ length: 7 }, (_, n) => weekday.format(A_MONDAY + n * DAY_S * 1000)),
    month: (month) => months.format(Date.parse(`${month}-01`)),
    moment,
    span: (from, to) => {
      const isOneDay = dateIn(timezone, from) === dateIn(timezone, to);
      const end = moment(to);
      return { from: moment(from), to: isOneDay ? { ...end, text: clocks.format(to) } : end, isOneDay };
    },
    date: (date) => ({ iso: date, text: dates.format(Date.parse(date)) }),
    duration: (ms) => formatDuration(ms, units),
    percentage: (percentage) => percents.format(Math.floor(percentage * 100) / 10_000),
  };
}

function formatDuration(ms: number, { d, h, min, s }: PageTexts["units"]): string {
  const seconds = Math.max(1, secondsBetween(0, ms));
  if (seconds < MINUTE_S) return `${seconds} ${s}`;
  if (seconds < HOUR_S) return join(seconds, [MINUTE_S, min], [1, s]);
  if (seconds < DAY_S) return join(seconds, [HOUR_S, h], [MINUTE_S, min]);
  return join(seconds, [DAY_S, d], [HOUR_S, h]);
}

function join(seconds: number, [size, unit]: [number, string], [smallSize, smallUnit]: [number, string]): string {
  const whole = Math.floor(seconds / size);
  const rest = Math.floor((seconds % size) / smallSize);
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${smallUnit}`;
}
