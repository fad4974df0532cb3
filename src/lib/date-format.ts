import { HOUR_MS, MINUTE_MS } from "./durations.ts";

/** How dates and times of day are written where there is little room: `28 Nov 2026, 20:53`. */
export const SHORT_DATE = { day: "numeric", month: "short", year: "numeric" } as const;
export const TIME_OF_DAY = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;

/** Formats an instant for a list that names the zone once: `28 Nov 2026, 20:53`. */
export function formatTime(instant: number, timezone: string): string {
  const format = new Intl.DateTimeFormat("en-GB", { ...SHORT_DATE, ...TIME_OF_DAY, timeZone: timezone });
  return format.format(instant);
}

/**
 * Formats an instant in a zone: `28 November 2026, 20:53 (Europe/Berlin)`. In the hour that a clock shows twice it says which
 * one it is: `25 October 2026, 02:30 CEST (Europe/Berlin)`.
 */
export function formatMoment(instant: number, timezone: string): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    ...SHORT_DATE,
    ...TIME_OF_DAY,
    month: "long",
    timeZone: timezone,
  });
  const reading = format.format(instant);
  const isShownTwice = [-HOUR_MS, HOUR_MS].some((offset) => format.format(instant + offset) === reading);
  const times = new Intl.DateTimeFormat("en-GB", { ...TIME_OF_DAY, timeZone: timezone, timeZoneName: "short" });
  const which = isShownTwice ? ` ${zoneOf(times, new Date(instant))}` : "";
  // Newer data puts "at" between date and time, older data a comma.
  return `${reading.replace(" at ", ", ")}${which} (${timezone})`;
}

/** Formats an instant where people read many of them: `21 Nov 2026, 04:00 CET`. */
export function formatInstant(instant: number | string, timeZone: string, locale = "en-GB"): string {
  const format = new Intl.DateTimeFormat(locale, { ...SHORT_DATE, ...TIME_OF_DAY, timeZone, timeZoneName: "short" });
  return format.format(new Date(instant));
}

/** Formats a stretch of time: `21 Nov 2026, 04:00 to 06:00 CET`, or with both dates; with seconds where it is so short. */
export function formatSpan(from: number | string, to: number | string, timeZone: string): string {
  const { start, end } = formatEnds(from, to, { timeZone });
  return `${start} to ${end}`;
}

/** Both ends of a stretch of time, which name their day and their zone once where they share it. */
export function formatEnds(
  from: number | string,
  to: number | string,
  { timeZone, locale = "en-GB" }: { timeZone: string; locale?: string },
): { start: string; end: string } {
  const [start, end] = [new Date(from), new Date(to)];
  const second = end.getTime() - start.getTime() < MINUTE_MS ? ("2-digit" as const) : undefined;
  const time = { ...TIME_OF_DAY, second, timeZone };
  const dates = new Intl.DateTimeFormat(locale, { ...SHORT_DATE, timeZone });
  const times = new Intl.DateTimeFormat(locale, { ...time, timeZoneName: "short" });
  const moments = new Intl.DateTimeFormat(locale, { ...SHORT_DATE, ...time });
  const zonedMoments = new Intl.DateTimeFormat(locale, { ...SHORT_DATE, ...time, timeZoneName: "short" });
  const isOneDay = dates.format(start) === dates.format(end);
  const isOneZone = zoneOf(times, start) === zoneOf(times, end);
  return {
    start: (isOneZone ? moments : zonedMoments).format(start),
    end: (isOneDay ? times : zonedMoments).format(end),
  };
}

function zoneOf(format: Intl.DateTimeFormat, instant: Date): string | undefined {
  return format.formatToParts(instant).find(({ type }) => type === "timeZoneName")?.value;
}
