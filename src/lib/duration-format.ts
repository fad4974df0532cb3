import { DAY_MS, HOUR_MS } from "./durations.ts";

/** Formats a span of time by its largest unit: `3 days`, `1 hour`. */
export function spanOf(milliseconds: number): string {
  const [count, unit] =
    milliseconds >= DAY_MS ? [milliseconds / DAY_MS, "day"] : [Math.max(milliseconds / HOUR_MS, 1), "hour"];
  return `${Math.floor(count)} ${unit}${Math.floor(count) === 1 ? "" : "s"}`;
}
