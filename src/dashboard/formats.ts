import { LANGUAGE_FACTS } from "../language/languages.ts";
import { SHORT_DATE, TIME_OF_DAY } from "../lib/date-format.ts";
import { partsOfDuration } from "../lib/duration-format.ts";
import { elapsedTime, relativeTime } from "./spans.ts";
import { language, words } from "./words.ts";

/** Dates, numbers, spans and lists as the language of the request writes them. */

const locale = () => LANGUAGE_FACTS[language()].locale;

/** Made once for each language and kind; zones of pages make few more. */
const dateFormats = new Map<string, Intl.DateTimeFormat>();
const DATE_FORMATS_MAX = 500;

export function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale()} ${JSON.stringify(options)}`;
  const known = dateFormats.get(key) ?? new Intl.DateTimeFormat(locale(), options);
  if (dateFormats.size < DATE_FORMATS_MAX) dateFormats.set(key, known);
  return known;
}

/** `28 Nov 2026, 20:53`. */
export function formatTime(at: number, timeZone: string): string {
  return dateFormat({ ...SHORT_DATE, ...TIME_OF_DAY, timeZone }).format(at);
}

/** `just now`, `5 min ago`, `in 3 h`, `3 Oct 2026`. */
export function formatDistance(at: number, now: number): string {
  const texts = words("dashboard-browser").spans;
  return relativeTime(at, now, texts) ?? dateFormat({ ...SHORT_DATE, timeZone: "UTC" }).format(at);
}

/** How long something lasts already: `20 s`, `5 min`, `34 days`. */
export function formatElapsed(since: number, now: number): string {
  return elapsedTime(since, now, words("dashboard-browser").spans);
}

/** By its two largest units: `2 d 3 h`, `8 s`. */
export function formatDuration(seconds: number): string {
  const { short } = words("dashboard-frame").formats;
  return partsOfDuration(seconds)
    .map(([n, unit]) => short[unit]({ n }))
    .join(" ");
}

/** By its two largest units: `2 days 3 hours`. */
export function durationInWords(seconds: number): string {
  const { long, less_than_a_second } = words("dashboard-frame").formats;
  if (seconds < 1) return less_than_a_second;
  return partsOfDuration(seconds)
    .map(([n, unit]) => long[unit]({ n }))
    .join(" ");
}

/** In whole milliseconds: `84 ms`, `2,340 ms`. */
export function formatMilliseconds(milliseconds: number): string {
  return words("dashboard-frame").formats.milliseconds({ n: Math.round(milliseconds) });
}

export function formatNumber(value: number, options: Intl.NumberFormatOptions = {}): string {
  return new Intl.NumberFormat(locale(), options).format(value);
}

/** "mail, browser and dashboard". */
export function formatList(entries: readonly string[]): string {
  return new Intl.ListFormat(locale()).format(entries);
}

/** The same of elements. */
export function listParts<Element>(entries: readonly Element[]): (Element | string)[] {
  const places = entries.map((_, n) => String(n));
  const parts = new Intl.ListFormat(locale()).formatToParts(places);
  return parts.flatMap(({ type, value }): (Element | string)[] =>
    type === "literal" ? [value] : entries.slice(Number(value), Number(value) + 1),
  );
}
