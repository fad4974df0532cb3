import type { Scope } from "../access/scope.ts";
import { headingOf } from "../contract/events.ts";
import type { NotificationType } from "../contract/notification.ts";
import { runBatch, type Statement } from "../data/db.ts";
import { insertMailIf } from "../data/mail/write.ts";
import { insertNotification, insertNotificationIf } from "../data/notifications/write.ts";
import {
  type Failure,
  findWebhookOwner,
  isDisabledBy,
  isStillUnwarned,
  isStillWarned,
  listWebhooksToWarn,
  type WebhookRecord,
} from "../data/webhooks/read.ts";
import { markWarned } from "../data/webhooks/write.ts";
import { subjectOfEvent } from "../domain/delivery-subject.ts";
import {
  composeDisabledNotice,
  composeFailureWarning,
  composeGivenUpNotice,
  composeRecoveryNotice,
  type FailingWebhook,
  type OwnerNotice,
} from "../domain/webhook-owner-notices.ts";
import { sealMail } from "../outbox/mail.ts";
import { joinPublications, NOTHING, type Publication } from "../outbox/publication.ts";
import { idFrom, newId } from "../platform/ids.ts";
import { type ChannelNotice, noticeToOthers } from "./channel-notices.ts";
import type { Outcome } from "./outcome.ts";
import type { Claimed } from "./prepare.ts";

/**
 * Notifications and mail to the owner of a webhook, and messages to their other channels: one warning in each run of failures,
 * one when it is disabled, and one when it works again after a warning. All are inserted on condition, in the transaction that
 * changes the failures of the webhook.
 */

type GivenUp = Pick<Claimed, "webhook" | "event" | "delivery"> & { outcome: Outcome };

/** Each takes eight queries. */
const WARNED_PER_MINUTE = 110;

/** Belongs before the statement that may disable the webhook. */
export async function notifyWebhookDisabled(
  scope: Scope,
  webhook: WebhookRecord,
  { failure, is_gone, error }: Pick<Outcome, "is_gone" | "error"> & { failure: Failure },
): Promise<Publication> {
  const owner = await findWebhookOwner(scope.db, webhook);
  if (!owner) return NOTHING;
  const composed = composeDisabledNotice(described(scope, webhook, { ...owner, last_error: error }), { is_gone });
  return notify(scope, webhook, {
    type: "webhook.disabled",
    email: owner.email,
    composed,
    when: isDisabledBy(failure),
    others: { status: "disabled", last_error: error },
  });
}

/** Belongs before the statement that ends the failures of the webhook. */
export async function notifyWebhookRecovered(scope: Scope, webhook: WebhookRecord): Promise<Publication> {
  const owner = await findWebhookOwner(scope.db, webhook);
  if (!owner) return NOTHING;
  return notify(scope, webhook, {
    type: "webhook.recovered",
    email: owner.email,
    composed: composeRecoveryNotice(described(scope, webhook, { ...owner, last_error: null })),
    when: isStillWarned(webhook),
    others: { status: "working", last_error: null },
  });
}

/** Every minute: warns where no delivery has succeeded for long, also when nothing has been attempted since. */
export async function sweepFailingWebhooks(scope: Scope): Promise<void> {
  const { db, settings, log } = scope;
  const now = scope.now;
  const due = await listWebhooksToWarn(db, now - settings.WEBHOOK_WARN_AFTER_MS, WARNED_PER_MINUTE);
  for (const { webhook, email, ...known } of due) {
    try {
      const disableAt = (webhook.failing_since ?? now) + settings.WEBHOOK_DISABLE_AFTER_MS;
      const composed = composeFailureWarning(described(scope, webhook, known), disableAt);
      const publication = await notify(scope, webhook, {
        type: "webhook.failing",
        email,
        composed,
        when: isStillUnwarned(webhook),
        others: { status: "failing", last_error: known.last_error },
      });
      await runBatch(db, [...publication.statements, markWarned(db, webhook, now)]);
      await publication.wake();
      log.info("webhook owner warned", { webhook_id: webhook.id });
    } catch (error) {
      log.error("webhook owner warning failed", error, { webhook_id: webhook.id });
    }
  }
}

/**
 * In the dashboard at once, when an alert is not sent any more: of a run of failures the first one, which the deliveries of the
 * webhook list with those that follow.
 */
export function notifyGivenUp(scope: Scope, { webhook, event, delivery, outcome }: GivenUp): Statement {
  const { db, now } = scope;
  const { title, message } = composeGivenUpNotice({
    name: webhook.name,
    heading: headingOf(delivery.event_name),
    subject: subjectOfEvent(event)?.name ?? null,
    attempts: delivery.attempt,
    error: outcome.error,
  });
  return insertNotification(db, {
    id: idFrom("delivery given up", webhook.id, String(webhook.failing_since ?? now)),
    user_id: webhook.owner_id,
    type: "delivery.given_up",
    title,
    message,
    status_page_id: webhook.status_page_id,
    target_id: webhook.id,
    read_at: null,
    created_at: now,
    updated_at: now,
  });
}

function described(
  { settings }: Scope,
  { id, name, provider, failing_since }: WebhookRecord,
  { page_name, timezone, last_error }: Pick<FailingWebhook, "page_name" | "last_error"> & { timezone: string | null },
): FailingWebhook {
  const reader = { timezone: timezone ?? "UTC", public_url: settings.PUBLIC_URL };
  return { id, name, provider, failing_since, page_name, last_error, ...reader };
}

interface OwnerMessage {
  type: NotificationType;
  email: string;
  composed: OwnerNotice;
  when: ReturnType<typeof isDisabledBy>;
  others: Pick<ChannelNotice, "status" | "last_error">;
}

async function notify(
  scope: Scope,
  webhook: WebhookRecord,
  { type, email, composed, when, others }: OwnerMessage,
): Promise<Publication> {
  const { db, settings, now } = scope;
  const notification = {
    id: newId(now),
    user_id: webhook.owner_id,
    type,
    title: composed.title,
    message: composed.message,
    status_page_id: webhook.status_page_id,
    target_id: webhook.id,
    read_at: null,
    created_at: now,
    updated_at: now,
  };
  const mail = await sealMail({ settings, now }, { to: email, subject: composed.title, text: composed.text });
  const own = { ...NOTHING, statements: [insertNotificationIf(db, notification, when), insertMailIf(db, mail, when)] };
  return joinPublications([own, await noticeToOthers(scope, webhook, { ...others, when })]);
}
