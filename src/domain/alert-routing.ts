import { type EventClassification, type EventName, isCustomEventName, MAINTENANCE_END } from "../contract/events.ts";
import type { AlertRouting } from "../contract/page-settings.ts";

/** The members of an event that routing reads. */
export interface RoutableEvent {
  name: string;
  classification: EventClassification;
  owner_id: string;
  status_page_id: string | null;
}

/** The members of a webhook that routing reads. */
export interface RoutableWebhook {
  owner_id: string;
  /** null = all pages of its owner and monitors without a page. */
  status_page_id: string | null;
  /** Empty = all events. */
  events: readonly string[];
  is_active: boolean;
  is_team_only: boolean;
}

const START = "maintenance.started" satisfies EventName;
const RESCHEDULED = "maintenance.rescheduled" satisfies EventName;

/**
 * The event with the audience that the alert_routing of its page names. A team_only event stays so: it may be about a child
 * of a composite, which is not public.
 */
export function applyRoutingOverride<Event extends RoutableEvent>(
  event: Event,
  routing: AlertRouting | undefined,
): Event {
  if (event.classification === "team_only") return event;
  const [name = event.name] = MAINTENANCE_END.some((end) => end === event.name) ? MAINTENANCE_END : [];
  const overrides: Partial<Record<string, EventClassification>> = routing ?? {};
  // Who is not notified of the start is not notified of its new end, which wakes nobody.
  if (event.name === RESCHEDULED) {
    return overrides[START] === "team_only" ? { ...event, classification: "team_only" } : event;
  }
  const override = Object.hasOwn(overrides, name) ? overrides[name] : undefined;
  return { ...event, classification: override ?? event.classification };
}

/** `public` is the default of rules and changes nothing; a team_only event stays so. */
export function applyRuleAudience<Event extends RoutableEvent>(
  event: Event,
  classification: EventClassification | undefined,
): Event {
  if (classification === undefined || classification === "public" || event.classification === "team_only") return event;
  return { ...event, classification };
}

/** The member of alert_suppressions that stands for the whole page. */
export const PAGE_SUPPRESSION = "page";

/** Until when rules withhold alerts about a monitor, or about a page without one; null where none does. */
export function findSuppressionEnd(
  monitorId: string | null,
  suppressions: Readonly<Record<string, number>> | undefined,
  now: number,
): number | null {
  const keys = monitorId === null ? [PAGE_SUPPRESSION] : [PAGE_SUPPRESSION, monitorId];
  const end = Math.max(...keys.map((key) => suppressions?.[key] ?? 0));
  return end > now ? end : null;
}

/** What ends something that was announced, what people do on purpose, and what says that nobody is on call. */
const NEVER_SUPPRESSED = /^(?:monitor\.up$|incident\.|maintenance\.|oncall\.)/;

/** Whether a rule may withhold alerts about the event. Custom events are sent on purpose, so they are never withheld. */
export function maySuppress({ name }: { name: string }): boolean {
  return !isCustomEventName(name) && !NEVER_SUPPRESSED.test(name);
}

export function isAlertSuppressed(
  event: { name: string; monitor_id: string | null },
  suppressions: Readonly<Record<string, number>> | undefined,
  now: number,
): boolean {
  return maySuppress(event) && findSuppressionEnd(event.monitor_id, suppressions, now) !== null;
}

/** Why a webhook does not receive an event: it is off, is of another page, hears no team_only events, or lists others. */
export type RoutingRefusal = "off" | "page" | "audience" | "events";

export function findRefusal(event: RoutableEvent, webhook: RoutableWebhook): RoutingRefusal | null {
  if (!webhook.is_active) return "off";
  const isOfPage = webhook.status_page_id === null || webhook.status_page_id === event.status_page_id;
  if (webhook.owner_id !== event.owner_id || !isOfPage) return "page";
  if (!webhook.is_team_only && event.classification === "team_only") return "audience";
  return isListed(event.name, webhook) ? null : "events";
}

/** The webhooks that receive an event, each with the name under which it does. */
export function selectWebhooks<Webhook extends RoutableWebhook>(
  event: RoutableEvent,
  webhooks: readonly Webhook[],
): { webhook: Webhook; event_name: string }[] {
  return webhooks.flatMap((webhook) => {
    const event_name = receivedName(event.name, webhook.events);
    return event_name !== undefined && findRefusal(event, webhook) === null ? [{ webhook, event_name }] : [];
  });
}

/** The events by which a receiver that keeps alerts opens one. */
const OPENING_EVENTS = ["monitor.down", "incident.created"] as const satisfies readonly EventName[];

/** The webhooks that may have an alert of the incident that is acknowledged: the acknowledgement itself names no more. */
export function selectAlerted<Webhook extends RoutableWebhook>(
  event: RoutableEvent,
  webhooks: readonly Webhook[],
): { webhook: Webhook; event_name: string }[] {
  if (event.name !== ("incident.acknowledged" satisfies EventName)) return [];
  return webhooks.flatMap((webhook) => {
    const isAlerted = OPENING_EVENTS.some((name) => isListed(name, webhook));
    const refusal = findRefusal({ ...event, classification: "public" }, webhook);
    const isOfEvent = refusal === null || refusal === "events";
    return isAlerted && isOfEvent ? [{ webhook, event_name: event.name }] : [];
  });
}

/**
 * Where alert_channels send an event instead. The end of maintenance is found under both of its names, and a new end goes
 * where the start went.
 */
export function findChannel(channels: Readonly<Record<string, string>>, eventName: string): string | null {
  const ends = MAINTENANCE_END.some((end) => end === eventName) ? MAINTENANCE_END : [];
  const starts = eventName === RESCHEDULED ? [START] : [];
  const name = [eventName, ...ends, ...starts].find((each) => Object.hasOwn(channels, each));
  return name === undefined ? null : (channels[name] ?? null);
}

/** Whether a webhook lists an event, for any audience. */
export function isListed(name: string, { events }: Pick<RoutableWebhook, "events">): boolean {
  return receivedName(name, events) !== undefined;
}

function receivedName(name: string, filter: readonly string[]): string | undefined {
  const names: readonly string[] = MAINTENANCE_END.some((end) => end === name) ? MAINTENANCE_END : [name];
  return filter.length === 0 ? names[0] : names.find((each) => filter.includes(each));
}
