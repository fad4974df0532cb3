/** An instant as people write it in a zone: `28 November 2026, 20:53 (Europe/Berlin)`. */
export function formatMoment(instant: number, timezone: string): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: timezone,
    day: "numeric",
    month: "long",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  // Newer data puts "at" between date and time, older data a comma.
  return `${format.format(instant).replace(" at ", ", ")} (${timezone})`;
}
