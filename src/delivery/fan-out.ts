import type { Scope } from "../access/scope.ts";
import { isKnownEvent, type NewEvent } from "../contract/events.ts";
import type { DeliveryMessage } from "../contract/messages.ts";
import type { Db } from "../data/db.ts";
import type { DeliveryRecord } from "../data/deliveries/read.ts";
import { insertDeliveries } from "../data/deliveries/write.ts";
import { WAKE_GRACE_MS } from "../data/outbox/rows.ts";
import { listAlertRouting } from "../data/status-pages/read.ts";
import { listActiveWebhooks } from "../data/webhooks/read.ts";
import { applyRoutingOverride, selectWebhooks } from "../domain/alert-routing.ts";
import { joinPublications, NOTHING, type Publication, wake } from "../outbox/publication.ts";
import { idFrom } from "../platform/ids.ts";
import { publishToSubscribers } from "./subscriber-messages.ts";

/** A webhook that receives an event, and the name under which it does. */
interface Receiver {
  webhook: { id: string };
  event_name: string;
}

type FanOutScope = Pick<Scope, "env" | "db" | "log">;

/** Everything that leaves because of these events. The statements belong in the batch that stores the events. */
export async function fanOut(scope: FanOutScope, events: readonly NewEvent[], now: number): Promise<Publication> {
  if (events.length === 0) return NOTHING;
  const deliveries = await routeEvents(scope.db, events, now);
  return joinPublications([
    publishDeliveries(scope, deliveries),
    await publishToSubscribers(scope, events.filter(isKnownEvent), now),
  ]);
}

/** Decides which webhooks receive these events. */
async function routeEvents(db: Db, events: readonly NewEvent[], now: number): Promise<DeliveryRecord[]> {
  const pageIds = events.map((event) => event.status_page_id).filter((id) => id !== null);
  const [webhooks, pages] = await db.batch([
    listActiveWebhooks(db, [...new Set(events.map((event) => event.owner_id))]),
    listAlertRouting(db, [...new Set(pageIds)]),
  ]);
  const routingOf = new Map(pages.map((page) => [page.id, page.alert_routing]));
  return events.flatMap((event) => {
    const routed = applyRoutingOverride(event, routingOf.get(event.status_page_id ?? ""));
    return deliveriesOf(event, selectWebhooks(routed, webhooks), now);
  });
}

/** The same event and webhook give the same delivery, however often they meet. */
export function deliveriesOf(
  event: Pick<NewEvent, "id">,
  receivers: readonly Receiver[],
  now: number,
): DeliveryRecord[] {
  return receivers.map(({ webhook, event_name }) => ({
    id: idFrom("delivery", event.id, webhook.id),
    webhook_id: webhook.id,
    event_id: event.id,
    event_name,
    state: "pending",
    attempt: 0,
    next_attempt_at: now,
    lease_until: 0,
    wake_at: now + WAKE_GRACE_MS,
    created_at: now,
    updated_at: now,
  }));
}

function publishDeliveries(scope: FanOutScope, records: readonly DeliveryRecord[]): Publication {
  if (records.length === 0) return NOTHING;
  return {
    statements: [insertDeliveries(scope.db, records)],
    wake: () =>
      wakeDeliveries(
        scope,
        records.map(({ id }) => id),
      ),
  };
}

export function wakeDeliveries(
  scope: Pick<Scope, "env" | "log">,
  deliveryIds: readonly string[],
  delay_ms?: number,
): Promise<void> {
  const messages: DeliveryMessage[] = deliveryIds.map((delivery_id) => ({ delivery_id }));
  return wake(scope, { queue: scope.env.DELIVERIES, messages, what: "delivery", delay_ms });
}
