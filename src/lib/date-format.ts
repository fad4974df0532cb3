/** How dates and times of day are written where there is little room: `28 Nov 2026, 20:53`. */
export const SHORT_DATE = { day: "numeric", month: "short", year: "numeric" } as const;
export const TIME_OF_DAY = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;

/** Formats an instant in a zone: `28 November 2026, 20:53 (Europe/Berlin)`. */
export function formatMoment(instant: number, timezone: string): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    ...SHORT_DATE,
    ...TIME_OF_DAY,
    month: "long",
    timeZone: timezone,
  });
  // Newer data puts "at" between date and time, older data a comma.
  return `${format.format(instant).replace(" at ", ", ")} (${timezone})`;
}
