/** Writes calendars (RFC 5545) of events that are listed one by one. */
export interface CalendarEvent {
  uid: string;
  /** When it was changed last; epoch ms, as all instants here. */
  stamp: number;
  start_at: number;
  end_at: number;
  summary: string;
  description?: string;
  url?: string;
}

interface Calendar {
  name: string;
  product: string;
  events: readonly CalendarEvent[];
}

const LINE_BYTES_MAX = 75;

export function renderCalendarText({ name, product, events }: Calendar): string {
  const lines = [
    ...["BEGIN:VCALENDAR", "VERSION:2.0", `PRODID:-//Vigil//${product}//EN`, "CALSCALE:GREGORIAN", "METHOD:PUBLISH"],
    `X-WR-CALNAME:${text(name)}`,
    ...events.flatMap(linesOf),
    "END:VCALENDAR",
  ];
  return lines.map((line) => `${fold(line)}\r\n`).join("");
}

function linesOf({ uid, stamp, start_at, end_at, summary, description, url }: CalendarEvent): string[] {
  return [
    "BEGIN:VEVENT",
    `UID:${uid}`,
    `DTSTAMP:${instant(stamp)}`,
    `DTSTART:${instant(start_at)}`,
    `DTEND:${instant(end_at)}`,
    `SUMMARY:${text(summary)}`,
    ...(description === undefined ? [] : [`DESCRIPTION:${text(description)}`]),
    ...(url === undefined ? [] : [`URL:${url}`]),
    "END:VEVENT",
  ];
}

const instant = (at: number) => new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, "");

function text(value: string): string {
  const clean = value.replace(/\r\n?/g, "\n").replace(/[^\n\t\u0020-\u007E\u00A0-\u{10FFFF}]/gu, "");
  return clean.replace(/[\\;,]/g, (character) => `\\${character}`).replaceAll("\n", "\\n");
}

/** Lines are at most 75 bytes long; what follows begins with a blank. */
function fold(line: string): string {
  const encoder = new TextEncoder();
  const parts = [""];
  let bytes = 0;
  for (const character of line) {
    const size = encoder.encode(character).length;
    if (bytes + size > LINE_BYTES_MAX) {
      parts.push("");
      bytes = 1;
    }
    parts[parts.length - 1] += character;
    bytes += size;
  }
  return parts.join("\r\n ");
}
