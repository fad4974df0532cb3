import { DAY_MS, HOUR_MS, SECOND_MS } from "./durations.ts";

/** Formats a span of time by its largest unit: `3 days`, `1 hour`. */
export function spanOf(milliseconds: number): string {
  const [count, unit] =
    milliseconds >= DAY_MS ? [milliseconds / DAY_MS, "day"] : [Math.max(milliseconds / HOUR_MS, 1), "hour"];
  return `${Math.floor(count)} ${unit}${Math.floor(count) === 1 ? "" : "s"}`;
}

/** The length of an outage or incident: whole seconds, so that it is the same wherever it is shown. */
export function secondsBetween(from: number, to: number): number {
  return Math.max(0, Math.round((to - from) / SECOND_MS));
}

export type DurationUnit = "d" | "h" | "min" | "s";

/** The two largest units of a duration. */
export function partsOfDuration(seconds: number): (readonly [count: number, unit: DurationUnit])[] {
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [Math.floor(seconds) % 60, "s"],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return [[0, "s"]];
  return parts.slice(first, first + 2).filter(([count]) => count > 0);
}

/** Formats a duration by its two largest units: `2 d 3 h`, `12 min 34 s`, `8 s`. */
export function formatDuration(seconds: number): string {
  return partsOfDuration(seconds)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}

/** Formats a latency in whole milliseconds, with separated thousands: `84 ms`, `2,340 ms`. */
export function formatMilliseconds(milliseconds: number): string {
  return `${String(Math.round(milliseconds)).replace(/\B(?=(\d{3})+$)/g, ",")} ms`;
}

/** Formats a duration in words by its two largest units: `2 days 3 hours`, `12 minutes 34 seconds`. */
export function durationInWords(seconds: number): string {
  if (seconds < 1) return "less than a second";
  const words: Record<string, string> = { d: "day", h: "hour", min: "minute", s: "second" };
  return formatDuration(seconds).replace(
    /(\d+) (\w+)/g,
    (_, count, unit) => `${count} ${words[unit]}${count === "1" ? "" : "s"}`,
  );
}
