import type { Envelope } from "../contract/webhook.ts";
import type { Db, Statement } from "../data/db.ts";
import type { DeliveryRecord } from "../data/deliveries/read.ts";
import { insertDeliveries } from "../data/deliveries/write.ts";
import type { StoredEvent } from "../data/events/read.ts";
import { listAlertRouting } from "../data/status-pages/read.ts";
import { listActiveWebhooks } from "../data/webhooks/read.ts";
import { applyRoutingOverride, selectWebhooks } from "../domain/alert-routing.ts";
import { toIso } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { idFrom } from "../platform/ids.ts";
import type { Logger } from "../platform/logger.ts";

/** What a delivery tells of an event. */
type ToldEvent = Pick<StoredEvent, "id" | "owner_id" | "status_page_id" | "data" | "created_at">;

/** A webhook that hears of an event, and the name under which it does. */
interface Listener {
  webhook: { id: string };
  event_name: string;
}

const MESSAGES_PER_CALL = 100;

/** Decides who hears of these events. The statements belong into the batch that stores the events. */
export async function routeEvents(
  db: Db,
  events: readonly StoredEvent[],
  now: number,
): Promise<{ statements: Statement[]; delivery_ids: string[] }> {
  if (events.length === 0) return { statements: [], delivery_ids: [] };
  const pageIds = events.map((event) => event.status_page_id).filter((id) => id !== null);
  const [webhooks, pages] = await db.batch([
    listActiveWebhooks(db, [...new Set(events.map((event) => event.owner_id))]),
    listAlertRouting(db, [...new Set(pageIds)]),
  ]);
  const routingOf = new Map(pages.map((page) => [page.id, page.alert_routing]));
  const records = events.flatMap((event) => {
    const heard = applyRoutingOverride(event, routingOf.get(event.status_page_id ?? ""));
    return deliveriesOf(event, selectWebhooks(heard, webhooks), now);
  });
  return {
    statements: records.length === 0 ? [] : [insertDeliveries(db, records)],
    delivery_ids: records.map((record) => record.id),
  };
}

/** The same event and webhook give the same delivery, however often they meet. */
export function deliveriesOf(event: ToldEvent, listeners: readonly Listener[], now: number): DeliveryRecord[] {
  return listeners.map(({ webhook, event_name }) => ({
    id: idFrom("delivery", event.id, webhook.id),
    webhook_id: webhook.id,
    event_id: event.id,
    event_name,
    payload: JSON.stringify(envelopeOf(event, event_name)),
    state: "pending",
    attempt: 0,
    next_attempt_at: now,
    lease_until: 0,
    created_at: now,
    updated_at: now,
  }));
}

function envelopeOf(event: ToldEvent, eventName: string): Envelope {
  return {
    id: event.id,
    user_id: event.owner_id,
    event: eventName,
    data: event.data,
    created_at: toIso(event.created_at),
    status_page_id: event.status_page_id,
    sequence: event.created_at,
  };
}

/** Hastens what is stored already; when the queue does not take it, the minute sweep finds it. */
export async function wakeDeliveries(env: Env, log: Logger, deliveryIds: readonly string[]): Promise<void> {
  try {
    for (let from = 0; from < deliveryIds.length; from += MESSAGES_PER_CALL) {
      const ids = deliveryIds.slice(from, from + MESSAGES_PER_CALL);
      await env.DELIVERIES.sendBatch(ids.map((delivery_id) => ({ body: { delivery_id } })));
    }
  } catch (error) {
    log.warn("deliveries left to the sweep", { count: deliveryIds.length, cause: String(error) });
  }
}
