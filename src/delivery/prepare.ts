import { openRuleContent } from "../access/rule-content.ts";
import type { Scope } from "../access/scope.ts";
import { TEST_EVENT } from "../contract/events.ts";
import type { Wording } from "../contract/webhook.ts";
import { listBundledEvents } from "../data/deliveries/bundles.ts";
import type { DeliveryRecord } from "../data/deliveries/read.ts";
import { type EventRuleRecord, findEventRule } from "../data/event-rules/read.ts";
import type { StoredEvent } from "../data/events/read.ts";
import { listStillDown } from "../data/held-alerts/read.ts";
import { findChatMessage } from "../data/webhooks/chat-messages.ts";
import type { WebhookRecord } from "../data/webhooks/read.ts";
import { bundleKind } from "../domain/alert-bundling.ts";
import { type AlertMessage, composeAlert } from "../domain/alert-messages.ts";
import { findChannel } from "../domain/alert-routing.ts";
import { BUNDLE_LISTED_MAX, composeBundle, STILL_DOWN_NAMED_MAX, type StillDown } from "../domain/bundle-messages.ts";
import type {
  ChatServices,
  MonitorMarks,
  Notifier,
  NotifierInput,
  NotifierMail,
  NotifierRequest,
  WebhookTarget,
} from "../notifiers/port.ts";
import { notifierOf } from "../notifiers/registry.ts";
import { inOwnWords } from "../notifiers/wording.ts";
import type { Settings } from "../platform/settings.ts";
import { withAcknowledgeLink } from "./acknowledge-link.ts";
import { findCommonIncident } from "./common-incident.ts";
import { stopLink } from "./outside-mail.ts";
import { openConfig } from "./webhook-config.ts";

/** A delivery that the caller has claimed. */
export interface Claimed {
  delivery: DeliveryRecord;
  webhook: WebhookRecord;
  event: StoredEvent;
  /** Of the event; its times are in the zone of the page. */
  page: { name: string; timezone: string } | null;
  /** That the event is about. */
  monitor: MonitorMarks | null;
}

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
    slack_answers: settings.SLACK_SIGNING_SECRET !== "",
  };
}

/**
 * Builds the request of an attempt; null where what is stored cannot be used. Throws when the database cannot be read:
 * then no attempt was made.
 */
export async function prepare(scope: Scope, claimed: Claimed): Promise<Prepared | null> {
  const { delivery, webhook, event } = claimed;
  const notifier = notifierOf(webhook.provider);
  const [rule, bundled] = await Promise.all([findRule(scope, delivery), listBundled(scope, claimed)]);
  const composed = await orNull(scope, claimed, async () => ({
    ...(await openTarget(scope, claimed, rule)),
    message: composeMessage(scope, claimed, bundled),
  }));
  if (composed === null) return null;
  const { target, wording, message } = composed;
  const plain: NotifierInput = {
    delivery_id: delivery.id,
    webhook_id: webhook.id,
    event,
    event_name: delivery.event_name,
    sent_at: scope.now,
    message,
    monitor: claimed.monitor,
    timezone: claimed.page?.timezone,
    services: chatServicesOf(scope.settings),
    stopLinkFor: (address: string) => stopLink(scope, webhook.owner_id, address),
  };
  // A test says that it is one, and a message about several has the fields of none.
  const isOwn = event.name !== TEST_EVENT && !isBundle(delivery);
  const input = isOwn ? { ...plain, message: inOwnWords(plain, notifier, wording) } : plain;
  // The caller of a test waits for its result and can repeat it.
  const attemptsMax = event.name === TEST_EVENT ? 1 : (notifier.attemptsMax ?? Number.POSITIVE_INFINITY);
  const edited_id = await findEditable(scope, webhook.id, notifier, input);
  return orNull(scope, claimed, async () => {
    const { editing } = notifier;
    const isEdit = edited_id !== null && editing;
    const request = isEdit ? editing.edit(input, target, edited_id) : notifier.build(input, target);
    return { request, attemptsMax, notifier, input, target, edited_id };
  });
}

/** What cannot be built now cannot be built later either: it is logged, and the delivery fails. */
async function orNull<Built>({ log }: Scope, { delivery, webhook }: Claimed, build: () => Promise<Built>) {
  try {
    return await build();
  } catch (error) {
    log.error("delivery build failed", error, { delivery_id: delivery.id, webhook_id: webhook.id });
    return null;
  }
}

/** A rule that fired may name where the event goes instead. */
async function openTarget(
  { settings, now }: Scope,
  { delivery: { event_name }, webhook }: Claimed,
  rule: EventRuleRecord | undefined,
): Promise<{ target: WebhookTarget; wording: Wording }> {
  const { url, secret, previous, alert_channels, config, wording } = await openConfig(settings, webhook);
  const ruleChannels = rule ? (await openRuleContent(settings, rule.id, rule)).alert_channels : {};
  const target = {
    url,
    secret,
    previous_secret: previous && previous.until > now ? previous.secret : null,
    channel: findChannel(ruleChannels, event_name) ?? findChannel(alert_channels, event_name),
    config,
  };
  return { target, wording };
}

/** About the event, or about all that the delivery is bundled with. */
function composeMessage(
  { settings, now }: Scope,
  { delivery, webhook, event, page }: Claimed,
  { events, incident_id, still_down }: Bundled,
): AlertMessage {
  const reader = { public_url: settings.PUBLIC_URL, timezone: page?.timezone ?? "UTC", page_name: page?.name };
  const kind = bundleKind(event);
  if (kind !== null && isBundle(delivery)) {
    const size = delivery.bundle_size ?? 1;
    return composeBundle({ kind, events: [event, ...events], size, incident_id, still_down }, reader);
  }
  const alert = composeAlert(event, reader);
  // Receivers of the team may acknowledge; any other channel may be public.
  if (!webhook.is_team_only || isBundle(delivery)) return alert;
  return withAcknowledgeLink({ settings, now }, { event, message: alert, user_id: null });
}

interface Bundled {
  /** Besides that of the delivery. */
  events: readonly StoredEvent[];
  /** The one that lists their incidents. */
  incident_id?: string;
  still_down?: StillDown;
}

async function listBundled({ db }: Scope, { delivery, event }: Claimed): Promise<Bundled> {
  if (!isBundle(delivery)) return { events: [] };
  const events = await listBundledEvents(db, delivery.id, 2 * BUNDLE_LISTED_MAX);
  const incident_id = await findCommonIncident(db, [event, ...events]);
  const still_down = bundleKind(event) === "up" ? await listStillDown(db, event, STILL_DOWN_NAMED_MAX) : undefined;
  return { events, incident_id, still_down };
}

function isBundle({ bundle_size }: DeliveryRecord): boolean {
  return bundle_size !== null && bundle_size > 1;
}

async function findRule({ db }: Scope, { rule_id }: DeliveryRecord): Promise<EventRuleRecord | undefined> {
  return rule_id === null ? undefined : findEventRule(db, rule_id);
}

/** The latest message of the thread: of one that stands for the whole thread, else while it reports the same state. */
async function findEditable({ db }: Scope, webhook_id: string, notifier: Notifier, { message }: NotifierInput) {
  if (!notifier.editing) return null;
  const { id: thread_id, state } = message.thread;
  const sent = await findChatMessage(db, { webhook_id, thread_id });
  return sent && (notifier.editing.isOfThread || sent.state === state) ? sent.message_id : null;
}
