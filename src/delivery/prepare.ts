import { openRuleContent } from "../access/rule-content.ts";
import type { Scope } from "../access/scope.ts";
import { TEST_EVENT } from "../contract/events.ts";
import { listBundledEvents } from "../data/deliveries/bundles.ts";
import type { DeliveryRecord } from "../data/deliveries/read.ts";
import { findEventRule } from "../data/event-rules/read.ts";
import type { StoredEvent } from "../data/events/read.ts";
import { findChatMessage } from "../data/webhooks/chat-messages.ts";
import { bundleKind } from "../domain/alert-bundling.ts";
import { composeAlert } from "../domain/alert-messages.ts";
import { BUNDLE_LISTED_MAX, composeBundle } from "../domain/bundle-messages.ts";
import type {
  ChatServices,
  Notifier,
  NotifierInput,
  NotifierMail,
  NotifierRequest,
  WebhookTarget,
} from "../notifiers/port.ts";
import { notifierOf } from "../notifiers/registry.ts";
import type { Settings } from "../platform/settings.ts";
import { withAcknowledgeLink } from "./acknowledge-link.ts";
import type { Claimed } from "./attempt.ts";
import { openConfig } from "./webhook-config.ts";

export interface Prepared {
  /** Null for an event that means nothing to the provider. */
  request: NotifierRequest | NotifierMail | null;
  attemptsMax: number;
  notifier: Notifier;
  input: NotifierInput;
  target: WebhookTarget;
  /** The request edits this message instead of sending one. */
  edited_id: string | null;
}

export function chatServicesOf(settings: Settings): ChatServices {
  return {
    telegram_api_base: settings.TELEGRAM_API_BASE,
    telegram_bot_token: settings.TELEGRAM_BOT_TOKEN,
    discord_api_base: settings.DISCORD_API_BASE,
    discord_bot_token: settings.DISCORD_BOT_TOKEN,
  };
}

/** Builds the request of an attempt; null where the stored configuration cannot be used. */
export async function prepare(scope: Scope, { delivery, webhook, event }: Claimed): Promise<Prepared | null> {
  const { settings, log, now } = scope;
  try {
    const notifier = notifierOf(webhook.provider);
    const { url, secret, previous, alert_channels } = await openConfig(settings, webhook);
    const target = {
      url,
      secret,
      previous_secret: previous && previous.until > now ? previous.secret : null,
      channel: (await findRuleChannel(scope, delivery)) ?? alert_channels[delivery.event_name] ?? null,
    };
    const composed = await composeMessage(scope, delivery, event);
    // Receivers of the team may acknowledge; any other channel may be public.
    const message =
      webhook.is_team_only && !isBundle(delivery) ? withAcknowledgeLink(settings, event, composed) : composed;
    const input = {
      ...{ delivery_id: delivery.id, event, event_name: delivery.event_name, sent_at: now },
      ...{ message, services: chatServicesOf(settings) },
    };
    // The caller of a test waits for its result and can repeat it.
    const attemptsMax = event.name === TEST_EVENT ? 1 : (notifier.attemptsMax ?? Number.POSITIVE_INFINITY);
    const edited_id = await findEditable(scope, webhook.id, notifier, input);
    const request =
      edited_id !== null && notifier.editing
        ? notifier.editing.edit(input, target, edited_id)
        : notifier.build(input, target);
    return { request, attemptsMax, notifier, input, target, edited_id };
  } catch (error) {
    log.error("delivery build failed", error, { delivery_id: delivery.id, webhook_id: webhook.id });
    return null;
  }
}

/** About the event, or about all that the delivery is bundled with. */
async function composeMessage({ db, settings }: Scope, delivery: DeliveryRecord, event: StoredEvent) {
  const { PUBLIC_URL } = settings;
  const kind = bundleKind(event);
  if (kind === null || !isBundle(delivery)) return composeAlert(event, PUBLIC_URL);
  const others = await listBundledEvents(db, delivery.id, 2 * BUNDLE_LISTED_MAX);
  return composeBundle({ kind, events: [event, ...others], size: delivery.bundle_size ?? 1 }, PUBLIC_URL);
}

function isBundle({ bundle_size }: DeliveryRecord): boolean {
  return bundle_size !== null && bundle_size > 1;
}

/** Where the rule that fired sends this event instead. */
async function findRuleChannel({ db, settings }: Scope, delivery: DeliveryRecord): Promise<string | undefined> {
  if (delivery.rule_id === null) return undefined;
  const rule = await findEventRule(db, delivery.rule_id);
  return rule && (await openRuleContent(settings, rule.id, rule)).alert_channels[delivery.event_name];
}

/** The latest message of the thread, while it reports the same state. */
async function findEditable({ db }: Scope, webhook_id: string, notifier: Notifier, { message }: NotifierInput) {
  if (!notifier.editing) return null;
  const { id: thread_id, state } = message.thread;
  const sent = await findChatMessage(db, { webhook_id, thread_id });
  return sent?.state === state ? sent.message_id : null;
}
