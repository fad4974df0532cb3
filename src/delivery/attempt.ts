import type { Scope } from "../access/scope.ts";
import { TEST_EVENT } from "../contract/events.ts";
import type { SentRequest } from "../contract/webhook.ts";
import { runBatch } from "../data/db.ts";
import type { AttemptRecord, DeliveryRecord } from "../data/deliveries/read.ts";
import { insertAttempt, settleDelivery } from "../data/deliveries/write.ts";
import type { StoredEvent } from "../data/events/read.ts";
import type { WebhookRecord } from "../data/webhooks/read.ts";
import { clearFailures, recordFailure } from "../data/webhooks/write.ts";
import type { NotifierRequest } from "../notifiers/port.ts";
import { findNotifier } from "../notifiers/registry.ts";
import { idFrom } from "../platform/ids.ts";
import { decideOutcome, type Outcome } from "./outcome.ts";
import { send, type TimedReply } from "./sender.ts";
import { maskUrl, openConfig } from "./webhook-config.ts";
import { notifyWebhookDisabled } from "./webhook-owner-notices.ts";

/** A delivery that the caller has claimed. */
export interface Claimed {
  delivery: DeliveryRecord;
  webhook: WebhookRecord;
  event: StoredEvent;
}

interface Prepared {
  request: NotifierRequest | null;
  attemptsMax: number;
}

/**
 * One attempt: build, send, record. A crash between the last two repeats the attempt under the same webhook-id; the
 * attempt, the state of the delivery and the failures of the webhook are recorded in one batch.
 */
export async function performAttempt(scope: Scope, claimed: Claimed): Promise<AttemptRecord> {
  const { delivery, webhook } = claimed;
  const { request, attemptsMax } = await prepare(scope, claimed);
  const reply = request ? await send(scope.settings, request) : UNSENDABLE;
  const outcome = decideOutcome(reply, {
    delivery_id: delivery.id,
    attempt: delivery.attempt,
    delays_ms: scope.settings.DELIVERY_RETRY_MS.slice(0, attemptsMax - 1),
    ended_at: scope.now + reply.duration_ms,
  });
  const record = attemptRecord(scope, claimed, { request, reply, outcome });
  await store(scope, claimed, record, outcome);
  scope.log.info("delivery", {
    delivery_id: delivery.id,
    webhook_id: webhook.id,
    attempt: delivery.attempt,
    state: outcome.state,
    status: record.response_status,
    ms: record.duration_ms,
  });
  return record;
}

const UNSENDABLE: TimedReply = {
  kind: "unanswered",
  is_final: true,
  error: "the stored address could not be used",
  duration_ms: 0,
};

/** No request where the stored configuration cannot be read or its provider has no notifier. */
async function prepare({ settings, log, now }: Scope, { delivery, webhook, event }: Claimed): Promise<Prepared> {
  try {
    const notifier = findNotifier(webhook.provider);
    if (!notifier) throw new Error(`provider ${webhook.provider} has no notifier`);
    const { url, secret, previous } = await openConfig(settings, webhook);
    const target = {
      url,
      secret,
      previous_secret: previous && previous.until > now ? previous.secret : null,
      channel: webhook.alert_channels[delivery.event_name] ?? null,
    };
    const request = notifier.build(
      { delivery_id: delivery.id, event, event_name: delivery.event_name, sent_at: now },
      target,
    );
    // The caller of a test waits for its result and can repeat it.
    const attemptsMax = delivery.event_name === TEST_EVENT ? 1 : (notifier.attemptsMax ?? Number.POSITIVE_INFINITY);
    return { request, attemptsMax };
  } catch (error) {
    log.error("delivery cannot be built", error, { delivery_id: delivery.id, webhook_id: webhook.id });
    return { request: null, attemptsMax: 1 };
  }
}

function attemptRecord(
  { now }: Scope,
  { delivery, webhook }: Claimed,
  { request, reply, outcome }: { request: NotifierRequest | null; reply: TimedReply; outcome: Outcome },
): AttemptRecord {
  const answer = reply.kind === "answered" ? reply : null;
  return {
    id: idFrom("attempt", delivery.id, String(delivery.attempt)),
    delivery_id: delivery.id,
    webhook_id: webhook.id,
    attempt: delivery.attempt,
    request: request ? sentRequest(request) : { method: "POST", url: "", headers: {}, body: "" },
    response_status: answer?.status ?? null,
    response_body: answer?.excerpt ?? null,
    duration_ms: reply.duration_ms,
    error: outcome.error,
    next_attempt_at: outcome.next_attempt_at,
    created_at: now,
  };
}

function sentRequest(request: NotifierRequest): SentRequest {
  const { method, headers, body } = request;
  return { method, url: maskUrl(request.url), headers, body };
}

async function store(scope: Scope, { delivery, webhook }: Claimed, record: AttemptRecord, outcome: Outcome) {
  const { db } = scope;
  const { state, next_attempt_at } = outcome;
  const failure = state === "delivered" ? null : failureOf(scope, webhook, outcome);
  // Both conditions are evaluated again by the statements, because the row may have changed since it was read.
  const isLast = failure !== null && (webhook.failing_since ?? scope.now) <= failure.disable_if_failing_since;
  const notices = isLast ? await notifyWebhookDisabled(scope, webhook, { ...outcome, failure }) : [];
  const write = () =>
    runBatch(db, [
      insertAttempt(db, record),
      settleDelivery(db, delivery, { state, next_attempt_at, updated_at: scope.now }),
      // Before the failure is recorded: after that the row no longer shows which failure disabled the webhook.
      ...notices,
      failure ? recordFailure(db, failure) : clearFailures(db, webhook.id),
    ]);
  try {
    await write();
  } catch (error) {
    // Recording is harmless when repeated, sending is not: one more try costs less than a second request.
    scope.log.warn("delivery recorded again", { delivery_id: delivery.id, cause: String(error) });
    await write();
  }
  if (isLast) scope.log.warn("webhook disabled", { webhook_id: webhook.id, reason: failure.disabled_reason });
}

function failureOf({ settings, now }: Scope, webhook: WebhookRecord, { is_gone }: Outcome) {
  return is_gone
    ? { webhook_id: webhook.id, now, disable_if_failing_since: now, disabled_reason: "the endpoint answered 410 Gone" }
    : {
        webhook_id: webhook.id,
        now,
        disable_if_failing_since: now - settings.WEBHOOK_DISABLE_AFTER_MS,
        disabled_reason: "every delivery failed for too long",
      };
}
