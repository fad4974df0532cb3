import type { Scope } from "../access/scope.ts";
import type { ChannelData } from "../contract/event-data.ts";
import type { EventOf } from "../contract/events.ts";
import { insertDeliveries } from "../data/deliveries/write.ts";
import { insertNewEventIf } from "../data/events/write.ts";
import type { ActiveWebhook, isStillWarned, WebhookRecord } from "../data/webhooks/read.ts";
import { isListed } from "../domain/alert-routing.ts";
import { DAY_MS } from "../lib/durations.ts";
import { NOTHING, type Publication } from "../outbox/publication.ts";
import { toIso } from "../platform/clock.ts";
import { idFrom } from "../platform/ids.ts";
import { findAlerted } from "./alerted.ts";
import { deliveriesOf, previewReceivers } from "./fan-out.ts";
import { wakeDeliveries } from "./wake.ts";

/**
 * That a channel fails, or works again, as an event for the other channels of its owner. It never goes to the channel that it
 * is about, nor to one that fails itself, and a channel has one of a kind a day: notices cannot follow each other in a circle.
 * The end reaches those that heard of the beginning.
 */
export interface ChannelNotice {
  status: ChannelData["status"];
  last_error: string | null;
  /** Holds at the moment of the write. */
  when: ReturnType<typeof isStillWarned>;
}

const MESSAGES: Record<ChannelData["status"], string> = {
  failing: "no delivery has succeeded since then",
  disabled: "it was disabled: nothing is delivered to it any more",
  working: "deliveries arrive again",
};

export async function noticeToOthers(
  scope: Scope,
  webhook: WebhookRecord,
  notice: ChannelNotice,
): Promise<Publication> {
  const event = eventOf(scope, webhook, notice);
  const [reached] = await previewReceivers(scope.db, [event]);
  const working = (reached?.receivers ?? []).filter(
    (each) => each.webhook.id !== webhook.id && each.webhook.failing_since === null,
  );
  const isHeard = await findHeard(scope, { event, webhook, webhooks: working.map((each) => each.webhook) });
  const receivers = working.filter((each) => isHeard(each.webhook));
  const deliveries = deliveriesOf(event, receivers, { now: scope.now });
  if (deliveries.length === 0) return NOTHING;
  return {
    statements: [
      insertNewEventIf(scope.db, { ...event, processed_at: scope.now }, notice.when),
      insertDeliveries(scope.db, deliveries, notice.when),
    ],
    wake: () =>
      wakeDeliveries(
        scope,
        deliveries.map(({ id }) => id),
      ),
  };
}

/** That it works again is heard by those that were sent that it fails, and by those that want to hear of that alone. */
async function findHeard(
  { db, now }: Pick<Scope, "db" | "now">,
  { event, webhook, webhooks }: { event: ChannelEvent; webhook: WebhookRecord; webhooks: readonly ActiveWebhook[] },
): Promise<(receiver: ActiveWebhook) => boolean> {
  if (event.name !== "webhook.recovered") return () => true;
  const ends = [noticeId(webhook, "failing", webhook.warned_at ?? now)];
  const wasAlerted = await findAlerted(
    db,
    { events: [event], routings: new Map([[event.id, { ends }]]), webhooks },
    now,
  );
  return (receiver) => !isListed("webhook.failing", receiver) || (wasAlerted(event, receiver) ?? false);
}

/** The same for a whole day, so that a channel that comes and goes is said once. */
const noticeId = ({ id }: Pick<WebhookRecord, "id">, status: ChannelData["status"], at: number) =>
  idFrom("channel notice", id, status, String(Math.floor(at / DAY_MS)));

type ChannelEvent = EventOf<"webhook.failing"> | EventOf<"webhook.recovered">;

function eventOf(
  { now }: Scope,
  { id, owner_id, status_page_id, name, provider, failing_since }: WebhookRecord,
  { status, last_error }: ChannelNotice,
): ChannelEvent {
  const shared = {
    id: noticeId({ id }, status, now),
    owner_id,
    status_page_id,
    monitor_id: null,
    classification: "public" as const,
    data: {
      webhook_id: id,
      webhook_name: name,
      provider,
      status,
      message: MESSAGES[status],
      since: toIso(failing_since ?? now),
      last_error,
    },
    created_at: now,
  };
  return status === "working" ? { ...shared, name: "webhook.recovered" } : { ...shared, name: "webhook.failing" };
}
