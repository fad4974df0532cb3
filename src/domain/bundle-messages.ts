import { isKnownEvent, type NewEvent } from "../contract/events.ts";
import { oneLine } from "../lib/one-line.ts";
import type { Outage } from "./alert-bundling.ts";
import { type AlertMessage, composeAlert, moment } from "./alert-messages.ts";

/** As many monitors are named; the rest is counted. */
export const BUNDLE_LISTED_MAX = 50;
const REASON_MAX = 120;

const WORDS: Record<Outage, string> = { down: "are down", up: "are up again", reminder: "are still down" };

interface Bundle {
  kind: Outage;
  /** In the order of their times; several may be about one monitor. */
  events: readonly NewEvent[];
  /** Monitors in all, where `events` are only the first of them. */
  size: number;
}

/** One message about outages that began, or ended, together. */
export function composeBundle({ kind, events, size }: Bundle, public_url: string): AlertMessage {
  const lines = new Map<string, string>();
  for (const event of events) {
    const id = event.monitor_id ?? event.id;
    const line = lineOf(event);
    // The event of the monitor names the reason; its incident only repeats the name.
    if (!lines.has(id) || event.name.startsWith("monitor.")) lines.set(id, line);
  }
  const listed = [...lines.values()].slice(0, BUNDLE_LISTED_MAX);
  const rest = size - listed.length;
  const [first] = events;
  const since = first && new Date(sinceOf(first)).toISOString();
  return {
    tone: kind === "up" ? "good" : "down",
    title: `${size} monitors ${WORDS[kind]}`,
    text: [...listed, ...(rest > 0 ? [`and ${rest} more`] : [])].join("\n"),
    facts: since === undefined ? [] : [{ label: "Since", value: moment(since) }],
    links: public_url === "" ? [] : [{ label: "Monitors", url: `${public_url}/app/monitors` }],
    thread: { id: `bundle/${first?.id ?? ""}`, state: kind },
    is_resolved: kind === "up",
  };
}

function lineOf(event: NewEvent): string {
  if (
    isKnownEvent(event) &&
    (event.name === "monitor.down" || event.name === "monitor.up" || event.name === "monitor.reminder")
  ) {
    const { monitor_name, message } = event.data;
    return `${oneLine(monitor_name)}: ${oneLine(message).slice(0, REASON_MAX)}`;
  }
  return oneLine(composeAlert(event, "").title);
}

function sinceOf(event: NewEvent): number {
  return isKnownEvent(event) && "since" in event.data ? Date.parse(event.data.since) : event.created_at;
}
