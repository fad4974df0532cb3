import type { Scope } from "../access/scope.ts";
import type { SubscriberChannel, SubscriptionFilter } from "../contract/subscriber.ts";
import type { Statement } from "../data/db.ts";
import { findSubscriberAt, type SubscriberRecord } from "../data/subscribers/read.ts";
import { insertSubscriber, insertSubscriberMessage, updateSubscriber } from "../data/subscribers/write.ts";
import { newId } from "../platform/ids.ts";
import { seal } from "../platform/seal.ts";
import { endpointHashes } from "../platform/subscriber-tokens.ts";

export interface SubscriptionWish {
  owner_id: string;
  status_page_id: string;
  channel: SubscriberChannel;
  /** As `normalEndpoint` gives it. */
  endpoint: string;
  /** By the team of the page, not by the reader. */
  is_invited: boolean;
  choice: Required<{ [Name in keyof SubscriptionFilter]: NonNullable<SubscriptionFilter[Name]> }>;
}

export interface SubscriptionRequest {
  subscriber: SubscriberRecord;
  statements: Statement[];
  message_id: string;
}

/** Mail systems compare addresses without regard to case. */
export function normalEndpoint(channel: SubscriberChannel, endpoint: string): string {
  return channel === "email" ? endpoint.toLowerCase() : endpoint;
}

/** The row of somebody who has yet to confirm, and the message that asks for it; a confirmed subscription stays as it is. */
export async function requestConfirmation(
  scope: Pick<Scope, "db" | "settings" | "now"> & { publicUrl: string },
  { owner_id, status_page_id, channel, endpoint, is_invited, choice }: SubscriptionWish,
): Promise<SubscriptionRequest> {
  const { db, settings, now } = scope;
  const endpoint_hashes = endpointHashes(settings.ROOT_SECRET, channel, endpoint);
  const at = { status_page_id, channel };
  const known = await findSubscriberAt(db, { ...at, endpoint_hashes });
  const id = known?.id ?? newId(now);
  const sealed = await seal(settings.ROOT_SECRET, id, { endpoint, base_url: scope.publicUrl });
  const asked = { endpoint_hash: endpoint_hashes[0], sealed, is_invited, requested_at: now, updated_at: now };
  const subscriber: SubscriberRecord = {
    id,
    owner_id,
    ...at,
    endpoint_masked: maskEndpoint(channel, endpoint),
    ...choice,
    confirmed_at: null,
    unsubscribed_at: null,
    failing_since: null,
    created_at: now,
    ...asked,
  };
  const change = known && isSubscribed(known) ? { updated_at: now } : { ...choice, ...asked };
  const message = {
    id: newId(now),
    subscriber_id: id,
    kind: "confirm" as const,
    news: {},
    state: "pending" as const,
    attempt: 0,
    next_attempt_at: now,
    lease_until: 0,
    error: null,
    created_at: now,
    updated_at: now,
  };
  const stored = known ? updateSubscriber(db, id, change) : insertSubscriber(db, subscriber);
  return { subscriber, statements: [stored, insertSubscriberMessage(db, message)], message_id: message.id };
}

export function isSubscribed({ confirmed_at, unsubscribed_at }: SubscriberRecord): boolean {
  return confirmed_at !== null && unsubscribed_at === null;
}

function maskEndpoint(channel: SubscriberChannel, endpoint: string): string {
  if (channel !== "email") return `${new URL(endpoint).origin}/***`;
  return `${endpoint.slice(0, 1)}***${endpoint.slice(endpoint.lastIndexOf("@"))}`;
}
