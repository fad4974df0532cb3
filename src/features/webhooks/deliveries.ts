import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { requireWebhook } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, notFound } from "../../contract/errors.ts";
import { EVENTS, type EventOf, TEST_EVENT } from "../../contract/events.ts";
import type { Pagination } from "../../contract/pagination.ts";
import type { DeliveryState } from "../../contract/webhook.ts";
import {
  type AttemptRecord,
  type DeliveryRecord,
  findDelivery,
  findLastAttempt,
  isLeased,
  listAttempts,
  listNewestAttempts,
} from "../../data/deliveries/read.ts";
import { insertDeliveries, requeueDelivery } from "../../data/deliveries/write.ts";
import { insertEvent } from "../../data/events/write.ts";
import type { WebhookRecord } from "../../data/webhooks/read.ts";
import { deliveriesOf } from "../../delivery/fan-out.ts";
import { attemptOnce, leaseUntil } from "../../delivery/process-deliveries.ts";
import { wakeDeliveries } from "../../delivery/wake.ts";
import { deliveryIdsOf, newId } from "../../platform/ids.ts";
import { mayChange } from "./rights.ts";

export async function listWebhookAttempts(
  ctx: RequestScope,
  webhookId: string,
  page: Pagination,
  filter: { state?: DeliveryState[]; event?: string[] },
) {
  const webhook = await requireWebhook(ctx, webhookId);
  return listAttempts(ctx.db, webhook.id, page, filter);
}

/** The newest attempts of these webhooks together, as far as the caller may change them. */
export async function listNewestOf(ctx: RequestScope, webhooks: readonly WebhookRecord[], limit: number) {
  const judged = await Promise.all(webhooks.map((webhook) => mayChange(ctx, webhook)));
  const ids = webhooks.flatMap(({ id }, n) => (judged[n] ? id : []));
  return listNewestAttempts(ctx.db, ids, limit);
}

/** One real attempt within the request, regardless of the webhook's filter and is_active. */
export async function sendTest(ctx: RequestScope, webhookId: string): Promise<AttemptRecord> {
  const webhook = await requireWebhook(ctx, webhookId);
  const earlier = await findIdempotentResult(ctx);
  if (earlier) {
    const attempt = await findLastAttempt(ctx.db, earlier);
    if (!attempt) throw conflict("the test under this Idempotency-Key is still running");
    return attempt;
  }
  const event = { ...testEvent(ctx, webhook), processed_at: ctx.now };
  const [due] = deliveriesOf(event, [{ webhook, event_name: TEST_EVENT }], { now: ctx.now });
  if (!due) throw new Error("one receiver gives one delivery");
  const delivery: DeliveryRecord = { ...due, attempt: 1, lease_until: leaseUntil(ctx) };
  await commit(ctx, [insertEvent(ctx.db, event), insertDeliveries(ctx.db, [delivery])], {
    audit: deliveryAudit(webhook, delivery, "tested"),
  });
  return attemptOnce(ctx, { delivery, webhook, event, page: null, monitor: null });
}

/** Named by its own id or by that of one of its attempts, since lists show both. Sends once more under the same webhook-id, with the retries that are left. */
export async function redeliver(ctx: RequestScope, webhookId: string, deliveryId: string): Promise<DeliveryRecord> {
  const webhook = await requireWebhook(ctx, webhookId);
  const delivery = await findDelivery(ctx.db, webhook.id, [deliveryId, ...deliveryIdsOf(deliveryId)]);
  if (!delivery) throw notFound("delivery");
  if (await findIdempotentResult(ctx)) return delivery;
  if (!webhook.is_active) throw conflict("the webhook is disabled");
  await commit(ctx, [requeueDelivery(ctx.db, delivery.id, ctx.now)], {
    audit: deliveryAudit(webhook, delivery, "redelivered"),
    guards: [
      { name: "stale", when: isLeased(delivery.id, ctx.now), error: conflict("the delivery is being sent right now") },
    ],
  });
  await wakeDeliveries(ctx, [delivery.id]);
  return { ...delivery, state: "pending", next_attempt_at: ctx.now, updated_at: ctx.now };
}

function testEvent(ctx: RequestScope, webhook: WebhookRecord): EventOf<typeof TEST_EVENT> {
  return {
    id: newId(),
    owner_id: webhook.owner_id,
    status_page_id: webhook.status_page_id,
    monitor_id: null,
    name: TEST_EVENT,
    classification: EVENTS[TEST_EVENT].classification,
    data: { webhook_id: webhook.id, webhook_name: webhook.name, message: "this is a test of your webhook" },
    created_at: ctx.now,
  };
}

function deliveryAudit(webhook: WebhookRecord, delivery: DeliveryRecord, verb: string) {
  return {
    owner_id: webhook.owner_id,
    target_type: "delivery",
    target_id: delivery.id,
    status_page_id: webhook.status_page_id,
    summary: `${verb} webhook "${webhook.name}"`,
    data: { webhook_id: webhook.id, event: delivery.event_name },
  };
}
