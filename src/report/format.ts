import { SHORT_DATE, TIME_OF_DAY } from "../lib/date-format.ts";

/** How the figures of a report are written out. */

export function formatReportPercentage(percentage: number | null): string {
  return percentage === null ? "no data" : `${percentage}%`;
}

/** The two largest units. */
export function formatSeconds(seconds: number | null): string {
  if (seconds === null) return "–";
  const left = Math.abs(seconds);
  const sign = seconds < 0 ? "-" : "";
  if (left < 60) return `${sign}${left} s`;
  if (left < 3600) return `${sign}${join(left, [60, "min"], [1, "s"])}`;
  if (left < 86_400) return `${sign}${join(left, [3600, "h"], [60, "min"])}`;
  return `${sign}${join(left, [86_400, "d"], [3600, "h"])}`;
}

function join(seconds: number, [size, unit]: [number, string], [small, smallUnit]: [number, string]): string {
  const rest = Math.floor((seconds % size) / small);
  return `${Math.floor(seconds / size)} ${unit}${rest === 0 ? "" : ` ${rest} ${smallUnit}`}`;
}

export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

export function formatInstant(iso: string, timezone: string): string {
  return new Intl.DateTimeFormat("en-GB", { timeZone: timezone, ...SHORT_DATE, ...TIME_OF_DAY }).format(
    Date.parse(iso),
  );
}
