import type { Scope } from "../access/scope.ts";
import type { ChannelData } from "../contract/event-data.ts";
import type { EventOf } from "../contract/events.ts";
import { insertDeliveries } from "../data/deliveries/write.ts";
import { insertNewEventIf } from "../data/events/write.ts";
import type { isStillWarned, WebhookRecord } from "../data/webhooks/read.ts";
import { DAY_MS } from "../lib/durations.ts";
import { NOTHING, type Publication } from "../outbox/publication.ts";
import { toIso } from "../platform/clock.ts";
import { idFrom } from "../platform/ids.ts";
import { deliveriesOf, previewReceivers } from "./fan-out.ts";
import { wakeDeliveries } from "./wake.ts";

/**
 * That a channel fails, or works again, as an event for the other channels of its owner. It never goes to the channel that it
 * is about, nor to one that fails itself, and a channel has one of a kind a day: notices cannot follow each other in a circle.
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
  const receivers = (reached?.receivers ?? []).filter(
    ({ webhook: { id, failing_since } }) => id !== webhook.id && failing_since === null,
  );
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

function eventOf(
  { now }: Scope,
  { id, owner_id, status_page_id, name, provider, failing_since }: WebhookRecord,
  { status, last_error }: ChannelNotice,
): EventOf<"webhook.failing"> | EventOf<"webhook.recovered"> {
  const shared = {
    id: idFrom("channel notice", id, status, String(Math.floor(now / DAY_MS))),
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
