import { isKnownEvent, type NewEvent } from "../contract/events.ts";
import type { Db } from "../data/db.ts";
import { listReceived } from "../data/deliveries/received.ts";
import type { ActiveWebhook } from "../data/webhooks/read.ts";
import { isListed } from "../domain/alert-routing.ts";
import { DAY_MS } from "../lib/durations.ts";
import { changeEventId, outageIncidentEventId } from "../outbox/event-ids.ts";
import { idFrom } from "../platform/ids.ts";

/**
 * No all-clear without an alarm: the end of something reaches the webhooks alone that were sent its beginning. A webhook
 * that lists the end and not the beginning chose so, and receives it.
 */

/** Deliveries are kept a little longer than this. */
const KNOWN_MS = 29 * DAY_MS;

/** The announced events that an event ends, as a rule says; absent where its own data says it. */
interface RoutedEnds {
  ends?: readonly string[];
}

interface Ends {
  events: readonly NewEvent[];
  routings: ReadonlyMap<string, RoutedEnds>;
  webhooks: readonly ActiveWebhook[];
}

/** Of an event that ends something, whether a webhook was sent its beginning; null where that decides nothing. */
export async function findAlerted(
  db: Db,
  { events, routings, webhooks }: Ends,
  now: number,
): Promise<(event: NewEvent, webhook: ActiveWebhook) => boolean | null> {
  const endedBy = new Map(events.map((event) => [event.id, listEnded(event, routings.get(event.id))]));
  const event_ids = [...new Set([...endedBy.values()].flat())];
  if (event_ids.length === 0 || webhooks.length === 0) return () => null;
  const delivery_ids = event_ids.flatMap((id) => webhooks.map((webhook) => deliveryId(id, webhook)));
  const { announced, received } = await listReceived(db, { event_ids, delivery_ids });
  const stored = new Map(announced.map((each) => [each.id, each]));
  return (event, webhook) => {
    const begun = (endedBy.get(event.id) ?? []).flatMap((id) => stored.get(id) ?? []);
    // A restore may have lost it, deliveries that are too old are deleted, and an incident may have been published since.
    const isUnknown = begun.some(({ created_at, was_public }) => created_at < now - KNOWN_MS || was_public === 0);
    if (begun.length === 0 || isUnknown || !begun.some(({ name }) => isListed(name, webhook))) return null;
    return begun.some(({ id }) => received.has(deliveryId(id, webhook)));
  };
}

const deliveryId = (eventId: string, webhook: { id: string }) => idFrom("delivery", eventId, webhook.id);

/** The announced events that an event ends, by their ids; none where that is not known. */
export function listEnded(event: NewEvent, routing: RoutedEnds | undefined): readonly string[] {
  if (routing?.ends) return routing.ends;
  if (!isKnownEvent(event) || event.name !== "incident.resolved") return [];
  const { incident_id, outage_id, monitor_id } = event.data;
  if (outage_id === null || monitor_id === null) return [];
  const [, seq] = /\/(\d+)$/.exec(outage_id) ?? [];
  // Who chose no events heard of the outage by its monitor.
  return [
    outageIncidentEventId("incident.created", { incident_id, outage_id }),
    ...(seq === undefined ? [] : [changeEventId(monitor_id, Number(seq))]),
  ];
}
