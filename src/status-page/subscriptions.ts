import type { Guard } from "../access/audited-write.ts";
import { commit } from "../access/commit.ts";
import { isWithinMailRate, recipientOf } from "../access/mail-rate.ts";
import { capGuard } from "../access/plan-caps.ts";
import type { RequestScope } from "../access/scope.ts";
import { invalid, notFound } from "../contract/errors.ts";
import type { PagePayload } from "../contract/public-page.ts";
import type { SubscribeInput, SubscriptionFilter } from "../contract/subscriber.ts";
import { monitorGroups } from "../data/monitor-groups/table.ts";
import { hasSubscribers } from "../data/plan-caps/read.ts";
import { listRows } from "../data/rows.ts";
import { findPage } from "../data/status-pages/read.ts";
import { findSubscriber, type SubscriberRecord } from "../data/subscribers/read.ts";
import { updateSubscriber } from "../data/subscribers/write.ts";
import { DAY_MS } from "../lib/durations.ts";
import { wakeSubscribers } from "../outbox/subscriber-queue.ts";
import { isSubscribed, normalEndpoint, requestConfirmation } from "../outbox/subscription-request.ts";
import { checkGiven } from "../platform/egress/guard.ts";
import { settingsOf } from "../platform/settings.ts";
import { isSubscriberToken, subscriberOf } from "../platform/subscriber-tokens.ts";

/** What visitors of a public page may do about their own subscription. A link that we sent is all that they need. */
const CONFIRM_WITHIN_MS = DAY_MS;
const GROUPS_MAX = 1000;

/** Stores the subscription and sends a confirmation link. The response does not depend on the result. */
export async function requestSubscription(ctx: RequestScope, page: PagePayload, input: SubscribeInput): Promise<void> {
  const choice = await requireChoice(ctx, page, input);
  requireReachable(ctx, input);
  const { channel } = input;
  const endpoint = normalEndpoint(channel, input.endpoint);
  if (!(await isWithinMailRate(ctx, { kind: "visitor" }, recipientOf(channel, endpoint)))) return;
  const row = await findPage(ctx.db, page.page.id);
  if (!row) throw notFound("status page");
  const { owner_id } = row;
  // An unauthenticated request changes no confirmed subscription.
  const { subscriber, statements, message_id } = await requestConfirmation(ctx, {
    owner_id,
    status_page_id: page.page.id,
    channel,
    endpoint,
    is_invited: false,
    choice,
  });
  await commit(ctx, statements, {
    audit: auditOf(subscriber, "asked to subscribe"),
    guards: await roomGuard(ctx, subscriber),
  });
  // Not awaited: response time does not reveal whether the address is over its daily limit.
  ctx.defer(wakeSubscribers(ctx, [{ kind: "messages", message_ids: [message_id] }]));
}

export type LinkedSubscriber = { subscriber: SubscriberRecord };

/** Whom a link of the given kind is about; undefined where we made no such link, or it is used or too old. */
export async function findSubscriberByLink(
  ctx: RequestScope,
  link: { kind: "confirm" | "manage"; token: string },
): Promise<SubscriberRecord | undefined> {
  const id = subscriberOf(link.token);
  const found = id === undefined ? undefined : await findSubscriber(ctx.db, id);
  if (!found) return undefined;
  const secret = ctx.settings.ROOT_SECRET;
  if (link.kind === "manage") return isSubscriberToken(secret, link.token, { kind: "manage" }) ? found : undefined;
  const { requested_at } = found;
  if (requested_at === null || ctx.now - requested_at > CONFIRM_WITHIN_MS) return undefined;
  return isSubscriberToken(secret, link.token, { kind: "confirm", requested_at }) ? found : undefined;
}

/** Ends the request, so that its link is good for nothing more. */
export async function confirmSubscription(ctx: RequestScope, subscriber: SubscriberRecord): Promise<void> {
  const change = { confirmed_at: ctx.now, unsubscribed_at: null, requested_at: null, updated_at: ctx.now };
  await commit(ctx, [updateSubscriber(ctx.db, subscriber.id, change)], {
    audit: auditOf(subscriber, "subscribed"),
    guards: isSubscribed(subscriber) ? [] : await roomGuard(ctx, subscriber),
  });
}

/** A full page refuses requests too, of its subscribers as of anybody else, so that the answer reveals nobody. */
function roomGuard(ctx: RequestScope, { owner_id, status_page_id }: SubscriberRecord): Promise<Guard[]> {
  return capGuard(ctx, { cap: "page_subscribers", owner_id, isReached: hasSubscribers(status_page_id) });
}

export async function changeSubscription(
  ctx: RequestScope,
  page: PagePayload,
  { subscriber, choice }: LinkedSubscriber & { choice: SubscriptionFilter },
): Promise<SubscriberRecord> {
  const change = { ...(await requireChoice(ctx, page, choice)), updated_at: ctx.now };
  await commit(ctx, [updateSubscriber(ctx.db, subscriber.id, change)], {
    audit: auditOf(subscriber, "changed the subscription of"),
  });
  return { ...subscriber, ...change };
}

/** The address is deleted; a keyed hash of it remains, which recognises a repeat. */
export async function unsubscribe(ctx: RequestScope, subscriber: SubscriberRecord): Promise<void> {
  if (subscriber.unsubscribed_at !== null) return;
  const change = { unsubscribed_at: ctx.now, sealed: null, requested_at: null, updated_at: ctx.now };
  await commit(ctx, [updateSubscriber(ctx.db, subscriber.id, change)], { audit: auditOf(subscriber, "unsubscribed") });
}

/** Only what the page shows can be chosen, so that nothing can be guessed by choosing it. */
async function requireChoice(
  ctx: RequestScope,
  page: PagePayload,
  { monitor_ids, group_ids, events }: SubscriptionFilter,
) {
  const shown = new Set(page.monitors.map(({ id }) => id));
  requireKnown("monitor_ids", monitor_ids ?? [], shown);
  if (group_ids && group_ids.length > 0) {
    const scope = { kind: "page", id: page.page.id } as const;
    const everything = { limit: GROUPS_MAX, offset: 0 };
    const { rows } = await listRows(
      ctx.db,
      { table: monitorGroups, sorted_by: "position" },
      { scope, page: everything },
    );
    requireKnown("group_ids", group_ids, new Set(rows.map(({ id }) => id)));
  }
  return {
    monitor_ids: [...new Set(monitor_ids ?? [])],
    group_ids: [...new Set(group_ids ?? [])],
    events: [...new Set(events ?? [])],
  };
}

function requireKnown(name: string, ids: readonly string[], known: ReadonlySet<string>): void {
  const foreign = ids.findIndex((id) => !known.has(id));
  if (foreign >= 0) throw invalid(`${name}[${foreign}] does not exist on this page`);
}

function requireReachable(ctx: RequestScope, { channel, endpoint }: SubscribeInput): void {
  if (channel === "email") return;
  // What the operator allowed is for nobody else to have something sent to.
  const verdict = checkGiven({ ...ctx, settings: settingsOf(ctx.env) }, new URL(endpoint), "delivery");
  if (!verdict.ok) throw invalid(`endpoint cannot be used: ${verdict.reason}`);
}

function auditOf(subscriber: SubscriberRecord, verb: string) {
  return {
    owner_id: subscriber.owner_id,
    status_page_id: subscriber.status_page_id,
    target_type: "subscriber",
    target_id: subscriber.id,
    summary: `${verb} ${subscriber.channel} ${subscriber.endpoint_masked}`,
  };
}
