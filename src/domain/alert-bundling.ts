import type { KnownEvent, NewEvent } from "../contract/events.ts";
import { isKnownEvent } from "../contract/events.ts";

/**
 * When many monitors of a page fail together, people get one message that lists them. Alerts about outages therefore wait a
 * few seconds for others of their page, where a page has enough monitors for that.
 */

/** Monitors that fail within this time fail together. */
export const BUNDLE_WINDOW_MS = 90_000;
const MONITORS_MIN = 5;
const SHARE = 0.2;

/** An alert waits so long for the next one. */
export const QUIET_MS = 3_000;
/** Choice: with several alerts at hand more may follow, because the checks of a page are spread over a minute. */
const SUSPICIOUS_QUIET_MS = 20_000;
/** An alert waits no longer than this, nor the first message about a mass failure. */
const HOLD_MAX_MS = 15_000;
/** When nothing released a held alert until then, it is sent by itself. */
export const HOLD_FALLBACK_MS = 2 * BUNDLE_WINDOW_MS;

export type Outage = "down" | "up" | "reminder";

export function bundleThreshold(monitors: number): number {
  return Math.max(MONITORS_MIN, Math.ceil(monitors * SHARE));
}

/** Below this number of monitors nothing waits. */
export const BUNDLED_FROM_MONITORS = MONITORS_MIN;

/** Whether alerts about an event may be bundled, and with which others. */
export function bundleKind(event: NewEvent): Outage | null {
  if (!isKnownEvent(event)) return null;
  switch (event.name) {
    case "monitor.down":
      return "down";
    case "monitor.up":
      return event.data.outage_id === null ? null : "up";
    case "monitor.reminder":
      return "reminder";
    case "incident.created":
      return repeatsOutage(event) ? "down" : null;
    case "incident.resolved":
      return repeatsOutage(event) ? "up" : null;
    default:
      return null;
  }
}

/**
 * Whether an event says of an outage's incident what `monitor.down` or `monitor.up` says of its monitor. What a person does
 * with the incident is news.
 */
export function repeatsOutage(event: KnownEvent): boolean {
  const isEdge = event.name === "incident.created" || event.name === "incident.resolved";
  return isEdge && event.data.is_automatic && event.data.monitor_id !== null;
}

/** Whether the monitor says the same by becoming degraded. */
export function isSaidByStatus(event: KnownEvent): boolean {
  const isExpiry = event.name === "monitor.certificate_expiring" || event.name === "monitor.domain_expiring";
  return isExpiry && event.data.is_said_by_status === true;
}

/** Whether an event is the beginning or the end of an incident that lists outages: those who hear of these need it not. */
export function isOfBundle(event: KnownEvent): boolean {
  const isEdge = event.name === "incident.created" || event.name === "incident.resolved";
  return isEdge && event.data.is_automatic && event.data.monitor_id === null;
}

export interface HeldEvent {
  event: NewEvent;
  /** Epoch ms; QUIET_MS after it was published where it may be bundled. */
  held_until: number;
}

export interface Burst {
  /** Monitors on the page. */
  monitors: number;
  /** Monitors that failed within BUNDLE_WINDOW_MS and were announced already. */
  announced: number;
}

/** When the held alerts of a page are to be sent: now, or the instant at which to look again. */
export function decideRelease(held: readonly HeldEvent[], { monitors, announced }: Burst): number {
  if (held.length === 0) return 0;
  const newest = Math.max(...held.map(({ held_until }) => held_until));
  const oldest = Math.min(...held.map(({ held_until }) => held_until)) - QUIET_MS;
  const together = Math.max(countMonitors(held, "down") + announced, countMonitors(held, "up"));
  const isMass = together >= bundleThreshold(monitors);
  const isFirst = isMass && announced === 0;
  // A mass failure ends as it began: when one service is up again, others follow.
  const isEnd = countMonitors(held, "up", leavesBundle) > 0;
  if (isFirst || (together < MONITORS_MIN && !isEnd)) return Math.min(newest, oldest + HOLD_MAX_MS);
  // The second message about a mass failure waits for its end, too.
  return Math.min(newest - QUIET_MS + SUSPICIOUS_QUIET_MS, oldest + BUNDLE_WINDOW_MS);
}

/** The events of a page in the groups that one message is about; most groups are of one. */
export function groupAlerts(
  held: readonly HeldEvent[],
  { monitors, announced }: Burst,
): { kind: Outage | null; events: NewEvent[] }[] {
  const threshold = bundleThreshold(monitors);
  const bundled = (["down", "up"] as const).filter((kind) => {
    const together = countMonitors(held, kind);
    const isMass = together + (kind === "down" ? announced : 0) >= threshold;
    return together >= 2 && (isMass || (kind === "up" && countMonitors(held, "up", leavesBundle) >= 2));
  });
  const isBundled = ({ event }: HeldEvent) => bundled.some((kind) => kind === bundleKind(event));
  return [
    ...bundled.map((kind) => ({
      kind,
      events: held.filter(({ event }) => bundleKind(event) === kind).map(({ event }) => event),
    })),
    ...held.filter((each) => !isBundled(each)).map(({ event }) => ({ kind: null, events: [event] })),
  ];
}

/** The end of an incident that another one lists with those that began together. */
function leavesBundle(event: NewEvent): boolean {
  return isKnownEvent(event) && event.name === "incident.resolved" && event.data.bundle_id !== null;
}

function countMonitors(held: readonly HeldEvent[], kind: Outage, isCounted = (_event: NewEvent) => true): number {
  const counted = held.filter(({ event }) => bundleKind(event) === kind && isCounted(event));
  return new Set(counted.map(({ event }) => event.monitor_id)).size;
}
