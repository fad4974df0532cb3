import type { Scope } from "../access/scope.ts";
import { SubscriberAddress, SubscriberMessageContent } from "../contract/subscriber.ts";
import { insertSystemAudit } from "../data/audit/write.ts";
import { runBatch, type Statement } from "../data/db.ts";
import type { MailRecord } from "../data/mail/read.ts";
import { insertMail } from "../data/mail/write.ts";
import {
  claimSubscriberMessage,
  markSubscriberFailing,
  markSubscriberReached,
  settleSubscriberMessage,
  updateSubscriber,
} from "../data/subscribers/write.ts";
import { buildPageUrls } from "../domain/page-address.ts";
import {
  composeAlreadySubscribedMessage,
  composeConfirmationMessage,
  composeUpdateMessage,
  type MessageDraft,
} from "../domain/subscriber-messages.ts";
import { loadSubscriberTexts, type SubscriberTexts } from "../language/texts.ts";
import { formatChannelBody, formatMail } from "../notifiers/subscriber-message-formats.ts";
import { sealMail } from "../outbox/mail.ts";
import { wakeSubscribers } from "../outbox/subscriber-queue.ts";
import { idFrom } from "../platform/ids.ts";
import { unseal } from "../platform/seal.ts";
import { subscriberToken } from "../platform/subscriber-tokens.ts";
import { decideOutcome } from "./outcome.ts";
import { takeMail } from "./outside-mail.ts";
import { send, type TimedReply } from "./sender.ts";

const LEASE_MS = 60_000;
/** Longer waits are left to the sweep. */
const DELAYED_MESSAGE_MAX_MS = 10 * 60 * 1000;

type Claimed = NonNullable<Awaited<ReturnType<typeof claimSubscriberMessage>>>;
type Subscriber = Claimed["subscriber"];

/** The result of an attempt: the statements that record it, and what follows once they are committed. */
interface Result {
  statements: Statement[];
  mail?: MailRecord;
  retry_in_ms?: number;
}

/** Sends one message if it is due and not claimed; a mail is stored in the outbox and returned for sending. */
export async function attemptMessage(scope: Scope, id: string): Promise<MailRecord | undefined> {
  const claimed = await claimSubscriberMessage(scope.db, id, { now: scope.now, lease_until: scope.now + LEASE_MS });
  if (!claimed) return undefined;
  try {
    const { statements, mail, retry_in_ms = Number.POSITIVE_INFINITY } = await perform(scope, claimed);
    await runBatch(scope.db, statements);
    if (retry_in_ms <= DELAYED_MESSAGE_MAX_MS) {
      await wakeSubscribers(scope, [{ kind: "messages", message_ids: [id] }], retry_in_ms);
    }
    return mail;
  } catch (error) {
    // The lease ends, and the sweep tries again.
    scope.log.error("subscriber message", error, { subscriber_message_id: id });
    return undefined;
  }
}

async function perform(scope: Scope, claimed: Claimed): Promise<Result> {
  const { db, settings, now } = scope;
  const { message, subscriber } = claimed;
  const settled = (state: "sent" | "failed", error: string | null = null) =>
    settleSubscriberMessage(db, message, { state, error, updated_at: now });
  const isWanted =
    message.kind === "confirm" || (subscriber.confirmed_at !== null && subscriber.unsubscribed_at === null);
  if (subscriber.sealed === null || !isWanted) return { statements: [settled("failed", "no longer subscribed")] };
  const { endpoint, base_url } = SubscriberAddress.parse(
    await unseal(settings.ROOT_SECRET, subscriber.id, subscriber.sealed),
  );
  const content = message.kind === "news" ? SubscriberMessageContent.parse(message.news) : null;
  if (content && subscriber.channel === "email" && !(await takeMail(scope, subscriber.owner_id, "subscriber_mails"))) {
    return { statements: [settled("failed", "the plan of the page's owner sends no more mail to subscribers today")] };
  }
  const texts = await loadSubscriberTexts(scope.env, claimed.page.language);
  const draft = composeDraft(scope, { ...claimed, base_url, content, texts });
  if (subscriber.channel === "email") {
    // One message gives one mail, also when two attempts overlap.
    const id = idFrom("subscriber mail", message.id);
    const mail = await sealMail(scope, toMail(endpoint, draft), id);
    return { statements: [insertMail(db, mail), settled("sent")], mail };
  }
  const body = formatChannelBody(subscriber.channel, draft, content);
  const headers = { "content-type": "application/json", "webhook-id": message.id };
  const reply = await send(settings, { method: "POST", url: endpoint, headers, body });
  return settleReply(scope, claimed, reply);
}

function settleReply(scope: Scope, { message, subscriber }: Claimed, reply: TimedReply): Result {
  const { db, settings, now } = scope;
  const ended_at = now + reply.duration_ms;
  const { state, next_attempt_at, error, is_gone } = decideOutcome(reply, {
    delivery_id: message.id,
    attempt: message.attempt,
    delays_ms: settings.DELIVERY_RETRY_MS,
    ended_at,
  });
  const settle = (settlement: Partial<Claimed["message"]>) => [
    settleSubscriberMessage(db, message, { ...settlement, updated_at: ended_at }),
  ];
  if (state === "delivered") {
    return { statements: [...settle({ state: "sent", error: null }), markSubscriberReached(db, subscriber.id)] };
  }
  const failed = is_gone || isDead(scope, subscriber, ended_at) ? endSubscription(scope, subscriber, ended_at) : [];
  if (failed.length === 0) failed.push(markSubscriberFailing(db, subscriber.id, ended_at));
  if (next_attempt_at === null) return { statements: [...settle({ state: "failed", error }), ...failed] };
  return { statements: [...settle({ next_attempt_at, error }), ...failed], retry_in_ms: next_attempt_at - ended_at };
}

/** As with webhooks of an account: it only failed for so long. */
function isDead({ settings }: Scope, { failing_since }: Subscriber, now: number): boolean {
  return failing_since !== null && now - failing_since >= settings.WEBHOOK_DISABLE_AFTER_MS;
}

/** As if its owner had unsubscribed: the address is deleted. */
function endSubscription({ db }: Scope, subscriber: Subscriber, now: number): Statement[] {
  const change = { unsubscribed_at: now, sealed: null, requested_at: null, failing_since: null, updated_at: now };
  const summary = `ended the subscription of ${subscriber.channel} ${subscriber.endpoint_masked}, which only failed`;
  return [
    updateSubscriber(db, subscriber.id, change),
    insertSystemAudit(db, {
      id: idFrom("ended subscription", subscriber.id, String(now)),
      event_type: "subscriber.ended",
      owner_id: subscriber.owner_id,
      status_page_id: subscriber.status_page_id,
      monitor_id: null,
      target_type: "subscriber",
      target_id: subscriber.id,
      summary,
      data: {},
      created_at: now,
    }),
  ];
}

interface Composed extends Claimed {
  base_url: string;
  content: SubscriberMessageContent | null;
  texts: SubscriberTexts;
}

function composeDraft({ settings }: Scope, { subscriber, page, base_url, content, texts }: Composed): MessageDraft {
  const { ROOT_SECRET, PUBLIC_URL } = settings;
  const { url } = buildPageUrls(page, { service_url: PUBLIC_URL || base_url, is_own_domain: false });
  const manage = subscriberToken(ROOT_SECRET, subscriber.id, { kind: "manage" });
  const links = {
    page: url,
    incident: content?.incident_id ? `${url}/incidents/${content.incident_id}` : null,
    manage: page.is_public ? `${url}/subscribers/manage?token=${manage}` : null,
    unsubscribe: `${url}/subscribers/unsubscribe?token=${manage}`,
  };
  const frame = { page, texts };
  if (content) return composeUpdateMessage(frame, content, links);
  const { requested_at, confirmed_at, unsubscribed_at } = subscriber;
  if (confirmed_at !== null && unsubscribed_at === null) return composeAlreadySubscribedMessage(frame, links);
  const token = subscriberToken(ROOT_SECRET, subscriber.id, { kind: "confirm", requested_at: requested_at ?? 0 });
  return composeConfirmationMessage(frame, { page: url, confirm: `${url}/subscribers/confirm?token=${token}` });
}

/** One-click unsubscription: RFC 2369 and RFC 8058. */
function toMail(to: string, draft: MessageDraft) {
  const leave: Record<string, string> =
    draft.links.unsubscribe === null
      ? {}
      : { "List-Unsubscribe": `<${draft.links.unsubscribe}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };
  return { to, subject: draft.subject, ...formatMail(draft), headers: leave };
}
