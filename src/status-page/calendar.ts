import type { PublicMaintenance, PublicOccurrence } from "../contract/public-page.ts";
import { blocksToText, parseMarkdownOf } from "../ui/markdown.ts";
import type { FeedSource } from "./feeds.ts";

const LINE_BYTES_MAX = 75;
const TEXT_SHOWN = 1000;

/**
 * Maintenance as a calendar (RFC 5545). Occurrences are listed one by one: a rule of the calendar's own would skip what our
 * rules move, such as the 31st of a short month, and would know nothing of what was cancelled.
 */
export function renderCalendar({ payload, now, url }: FeedSource): string {
  const events = payload.maintenance.flatMap((window) =>
    [...window.past.toReversed(), ...window.upcoming].flatMap((occurrence) =>
      eventLines(window, occurrence, { now, url }),
    ),
  );
  const lines = [
    ...["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Vigil//Status page//EN", "CALSCALE:GREGORIAN", "METHOD:PUBLISH"],
    `X-WR-CALNAME:${text(`${payload.page.name} maintenance`)}`,
    ...events,
    "END:VCALENDAR",
  ];
  return lines.map((line) => `${fold(line)}\r\n`).join("");
}

function eventLines(
  window: PublicMaintenance,
  occurrence: PublicOccurrence,
  { now, url }: { now: number; url: string },
) {
  return [
    "BEGIN:VEVENT",
    `UID:${window.id}-${occurrence.start_at}`,
    `DTSTAMP:${instant(Math.min(window.updated_at, now))}`,
    `DTSTART:${instant(occurrence.start_at)}`,
    `DTEND:${instant(occurrence.end_at)}`,
    `SUMMARY:${text(window.title)}`,
    ...(window.description === null
      ? []
      : [`DESCRIPTION:${text(blocksToText(parseMarkdownOf(window, window.description, TEXT_SHOWN)))}`]),
    `URL:${url}`,
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
