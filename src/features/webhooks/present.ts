import type { z } from "zod";
import type { Delivery, DeliveryAttempt, Webhook, WebhookTestResult } from "../../contract/webhook.ts";
import type { AttemptRecord, DeliveryRecord, ListedAttempt } from "../../data/deliveries/read.ts";
import type { WebhookRecord } from "../../data/webhooks/read.ts";
import { envelopeOf } from "../../domain/envelope.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";

/** A webhook with its address, masked where the caller may not see it. */
export interface ShownWebhook {
  webhook: WebhookRecord;
  url: string;
  /** Values are masked where the caller may not see them. */
  alert_channels: Record<string, string>;
  /** Since when deliveries of its owner wait for budget. */
  throttled_since: number | null;
}

export function presentWebhook(shown: ShownWebhook): z.infer<typeof Webhook> {
  const { webhook, url, alert_channels, throttled_since } = shown;
  return {
    id: webhook.id,
    name: webhook.name,
    url,
    provider: webhook.provider,
    has_secret: webhook.has_secret,
    events: JSON.stringify(webhook.events),
    status_page_id: webhook.status_page_id,
    is_active: webhook.is_active,
    is_team_only: webhook.is_team_only,
    alert_channels,
    external_key: webhook.external_key,
    disabled_reason: webhook.disabled_reason,
    failing_since: toIsoOrNull(webhook.failing_since),
    throttled_since: toIsoOrNull(throttled_since),
    created_at: toIso(webhook.created_at),
    updated_at: toIso(webhook.updated_at),
  };
}

/** The body of an attempt that is not stored is the envelope of its event. */
export function presentAttempt(attempt: ListedAttempt): z.infer<typeof DeliveryAttempt> {
  return {
    id: attempt.id,
    delivery_id: attempt.delivery_id,
    event: attempt.event_name,
    state: attempt.state,
    attempt: attempt.attempt,
    request: { ...attempt.request, body: attempt.request.body ?? bodyOf(attempt) },
    response_status: attempt.response_status,
    response_body: attempt.response_body,
    duration_ms: attempt.duration_ms,
    error: attempt.error,
    next_attempt_at: toIsoOrNull(attempt.next_attempt_at),
    created_at: toIso(attempt.created_at),
  };
}

function bodyOf({ event, event_name }: ListedAttempt): string {
  return event ? JSON.stringify(envelopeOf({ event, event_name })) : "";
}

export function presentDelivery(delivery: DeliveryRecord): z.infer<typeof Delivery> {
  return {
    id: delivery.id,
    webhook_id: delivery.webhook_id,
    event: delivery.event_name,
    state: delivery.state,
    attempt: delivery.attempt,
    next_attempt_at: toIsoOrNull(delivery.next_attempt_at),
    created_at: toIso(delivery.created_at),
    updated_at: toIso(delivery.updated_at),
  };
}

export function presentTest(attempt: AttemptRecord): z.infer<typeof WebhookTestResult> {
  return {
    delivered: attempt.error === null,
    status: attempt.response_status,
    duration_ms: attempt.duration_ms,
    error: attempt.error,
  };
}
