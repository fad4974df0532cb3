import type { z } from "zod";
import type { Subscriber } from "../../contract/subscriber.ts";
import type { SubscriberRecord } from "../../data/subscribers/read.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";

export function presentSubscriber(subscriber: SubscriberRecord): z.infer<typeof Subscriber> {
  return {
    id: subscriber.id,
    channel: subscriber.channel,
    endpoint_masked: subscriber.endpoint_masked,
    events: subscriber.events,
    monitor_ids: subscriber.monitor_ids,
    group_ids: subscriber.group_ids,
    confirmed_at: toIsoOrNull(subscriber.confirmed_at),
    unsubscribed_at: toIsoOrNull(subscriber.unsubscribed_at),
    created_at: toIso(subscriber.created_at),
    updated_at: toIso(subscriber.updated_at),
  };
}
