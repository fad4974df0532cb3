import type { EventClassification } from "../contract/event.ts";
import type { AlertRouting } from "../contract/page-settings.ts";

/** What routing has to know of an event. Its owner is the owner of its page, or of the monitor without a page. */
export interface RoutableEvent {
  name: string;
  classification: EventClassification;
  owner_id: string;
  status_page_id: string | null;
}

/** What routing has to know of a webhook. */
export interface RoutableWebhook {
  owner_id: string;
  /** null = hears all pages of its owner and the monitors without a page. */
  status_page_id: string | null;
  /** Empty = all events. */
  events: readonly string[];
  is_active: boolean;
  is_team_only: boolean;
}

/** The end of a maintenance has two public names; it goes out as the first unless a webhook lists only the second. */
const MAINTENANCE_END = ["maintenance.completed", "maintenance.ended"] as const;

/**
 * The event as its page wants it to be heard: an override by name wins over the audience that it has by itself. What is
 * the team's own, as members of a composite are, stays so: the public does not know of them.
 */
export function applyRoutingOverride<Event extends RoutableEvent>(
  event: Event,
  routing: AlertRouting | undefined,
): Event {
  if (event.classification === "team_only") return event;
  const [name = event.name] = MAINTENANCE_END.some((end) => end === event.name) ? MAINTENANCE_END : [];
  const overrides: Partial<Record<string, EventClassification>> = routing ?? {};
  return { ...event, classification: overrides[name] ?? event.classification };
}

/** The webhooks that hear of an event, each with the name under which it does. */
export function selectWebhooks<Webhook extends RoutableWebhook>(
  event: RoutableEvent,
  webhooks: readonly Webhook[],
): { webhook: Webhook; event_name: string }[] {
  return webhooks.flatMap((webhook) => {
    const event_name = heardName(event.name, webhook.events);
    return event_name !== undefined && mayHear(event, webhook) ? [{ webhook, event_name }] : [];
  });
}

function mayHear(event: RoutableEvent, webhook: RoutableWebhook): boolean {
  return (
    webhook.is_active &&
    webhook.owner_id === event.owner_id &&
    (webhook.status_page_id === null || webhook.status_page_id === event.status_page_id) &&
    (webhook.is_team_only || event.classification !== "team_only")
  );
}

function heardName(name: string, filter: readonly string[]): string | undefined {
  const names: readonly string[] = MAINTENANCE_END.some((end) => end === name) ? MAINTENANCE_END : [name];
  return filter.length === 0 ? names[0] : names.find((each) => filter.includes(each));
}
