import { type CalendarEvent, renderCalendarText } from "../lib/icalendar.ts";
import { blocksToText, parseMarkdownOf } from "../ui/markdown.ts";
import { type FeedSource, listAffected } from "./feeds.ts";

const TEXT_SHOWN = 1000;

/**
 * Maintenance as a calendar. Occurrences are listed one by one: a rule of the calendar's own would skip what our rules move,
 * such as the 31st of a short month, and would know nothing of what was cancelled.
 */
export function renderCalendar({ payload, texts, now, url }: FeedSource): string {
  const events = payload.maintenance.flatMap((window) => {
    const blocks = [...parseMarkdownOf(window, "description", TEXT_SHOWN), ...listAffected({ payload, texts }, window)];
    return [...window.past.toReversed(), ...window.upcoming].map(
      ({ start_at, end_at }): CalendarEvent => ({
        uid: `${window.id}-${start_at}`,
        stamp: Math.min(window.updated_at, now),
        start_at,
        end_at,
        url,
        summary: window.title,
        ...(blocks.length > 0 && { description: blocksToText(blocks) }),
      }),
    );
  });
  return renderCalendarText({ name: `${payload.page.name} maintenance`, product: "Status page", events });
}
