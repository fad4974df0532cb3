import { isKnownEvent, type NewEvent } from "../contract/events.ts";
import { byName } from "../lib/by-name.ts";
import { formatInstant } from "../lib/date-format.ts";
import { oneLine } from "../lib/one-line.ts";
import type { Outage } from "./alert-bundling.ts";
import {
  ACKNOWLEDGE,
  type AlertMessage,
  type AlertReader,
  composeAlert,
  NO_READER,
  OPEN_INCIDENT,
} from "./alert-messages.ts";

/** As many monitors are named; the rest is counted. */
export const BUNDLE_LISTED_MAX = 50;
const REASON_MAX = 120;

const WORDS: Record<Outage, string> = { down: "are down", up: "are up again", reminder: "are still down" };

interface Bundle {
  kind: Outage;
  /** Several may be about one monitor. */
  events: readonly NewEvent[];
  /** Monitors in all, where `events` are only the first of them. */
  size: number;
  /** The incident that lists them. */
  incident_id?: string;
  /** Of a recovery: what else of the page is down. */
  still_down?: StillDown;
}

export interface StillDown {
  /** The first of them. */
  names: readonly string[];
  total: number;
}

/** So many are named. */
export const STILL_DOWN_NAMED_MAX = 10;

/** One message about outages that began, or ended, together. */
export function composeBundle(
  { kind, events, size, incident_id, still_down }: Bundle,
  { public_url, timezone, page_name }: AlertReader,
): AlertMessage {
  const lines = new Map<string, string>();
  for (const event of events) {
    const id = event.monitor_id ?? event.id;
    const line = lineOf(event);
    // The event of the monitor names the reason; its incident only repeats the name.
    if (!lines.has(id) || event.name.startsWith("monitor.")) lines.set(id, line);
  }
  const listed = [...lines.values()].sort(byName).slice(0, BUNDLE_LISTED_MAX);
  const rest = size - listed.length;
  const label = kind === "up" ? OPEN_INCIDENT : ACKNOWLEDGE;
  const incident = incident_id === undefined ? [] : [{ label, url: `${public_url}/app/incidents/${incident_id}` }];
  const since = events.length === 0 ? null : Math.min(...events.map(sinceOf));
  return {
    tone: kind === "up" ? "good" : "down",
    title: `${size} monitors ${WORDS[kind]}`,
    page_name: page_name && oneLine(page_name),
    text: [...listed, ...(rest > 0 ? [`and ${rest} more`] : [])].join("\n"),
    facts: [
      ...(since === null ? [] : [{ label: "Since", value: formatInstant(since, timezone) }]),
      ...(still_down && still_down.total > 0 ? [{ label: "Still down", value: listStillDown(still_down) }] : []),
    ],
    links: public_url === "" ? [] : [...incident, { label: "Open monitors", url: `${public_url}/app/monitors` }],
    thread: { id: `bundle/${events[0]?.id ?? ""}`, state: kind },
    is_resolved: kind === "up",
  };
}

function listStillDown({ names, total }: StillDown): string {
  const rest = total - names.length;
  return [names.map(oneLine).join(", "), ...(rest > 0 ? [`and ${rest} more`] : [])].join(" ");
}

function lineOf(event: NewEvent): string {
  if (
    isKnownEvent(event) &&
    (event.name === "monitor.down" || event.name === "monitor.up" || event.name === "monitor.reminder")
  ) {
    const { monitor_name, message } = event.data;
    return `${oneLine(monitor_name)}: ${oneLine(message).slice(0, REASON_MAX)}`;
  }
  return oneLine(composeAlert(event, NO_READER).title);
}

function sinceOf(event: NewEvent): number {
  return isKnownEvent(event) && "since" in event.data ? Date.parse(event.data.since) : event.created_at;
}
