import type { Scope } from "../access/scope.ts";
import { SubscriberAddress, SubscriberMessageContent } from "../contract/subscriber.ts";
import { runBatch, type Statement } from "../data/db.ts";
import type { MailRecord } from "../data/mail/read.ts";
import { insertMail } from "../data/mail/write.ts";
import { claimSubscriberMessage, settleSubscriberMessage } from "../data/subscribers/write.ts";
import { buildPageUrls } from "../domain/page-address.ts";
import {
  composeAlreadySubscribedMessage,
  composeConfirmationMessage,
  composeUpdateMessage,
  type MessageDraft,
} from "../domain/subscriber-messages.ts";
import { formatChannelBody, formatMail } from "../notifiers/subscriber-message-formats.ts";
import { sealMail } from "../outbox/mail.ts";
import { now } from "../platform/clock.ts";
import { idFrom } from "../platform/ids.ts";
import { unseal } from "../platform/seal.ts";
import { wakeSubscribers } from "../platform/subscriber-queue.ts";
import { subscriberToken } from "../platform/subscriber-tokens.ts";
import { decideOutcome, type SendResult } from "./outcome.ts";
import { send } from "./sender.ts";

const LEASE_MS = 60_000;
/** Longer waits are left to the minute's sweep. */
const DELAYED_MESSAGE_MAX_MS = 10 * 60 * 1000;

type Claimed = NonNullable<Awaited<ReturnType<typeof claimSubscriberMessage>>>;

/** What came of an attempt: what records it, and what is left to do once that is committed. */
interface Done {
  statements: Statement[];
  mail?: MailRecord;
  /** When somebody has to try again. */
  retry_in_ms?: number;
}

/** Sends one message, if it is due and nobody else has it; mail it puts into the outbox and hands back to be sent. */
export async function attemptMessage(scope: Scope, id: string): Promise<MailRecord | undefined> {
  const claimed = await claimSubscriberMessage(scope.db, id, { now: now(), lease_until: now() + LEASE_MS });
  if (!claimed) return undefined;
  try {
    const { statements, mail, retry_in_ms = Number.POSITIVE_INFINITY } = await perform(scope, claimed);
    await runBatch(scope.db, statements);
    if (retry_in_ms <= DELAYED_MESSAGE_MAX_MS) {
      await wakeSubscribers(scope.env, scope.log, [{ message_ids: [id] }], retry_in_ms);
    }
    return mail;
  } catch (error) {
    // The lease ends, and somebody tries again.
    scope.log.error("subscriber message", error, { subscriber_message_id: id });
    return undefined;
  }
}

async function perform(scope: Scope, claimed: Claimed): Promise<Done> {
  const { db, settings } = scope;
  const { message, subscriber } = claimed;
  const at = now();
  const settled = (state: "sent" | "failed", error: string | null = null) =>
    settleSubscriberMessage(db, message, { state, error, updated_at: at });
  const isAsked =
    message.kind === "confirm" || (subscriber.confirmed_at !== null && subscriber.unsubscribed_at === null);
  if (subscriber.sealed === null || !isAsked) return { statements: [settled("failed", "no longer subscribed")] };
  const { endpoint, base_url } = SubscriberAddress.parse(
    await unseal(settings.ROOT_SECRET, subscriber.id, subscriber.sealed),
  );
  const news = message.kind === "news" ? SubscriberMessageContent.parse(message.news) : null;
  const wording = wordingOf(settings.ROOT_SECRET, settings.PUBLIC_URL || base_url, claimed, news);
  if (subscriber.channel === "email") {
    // Of one message there is one mail, whoever else might take this attempt for lost.
    const id = idFrom("subscriber mail", message.id);
    const mail = await sealMail({ settings, now: at }, toMail(endpoint, wording), id);
    return { statements: [insertMail(db, mail), settled("sent")], mail };
  }
  const body = formatChannelBody(subscriber.channel, wording, news);
  const headers = { "content-type": "application/json", "webhook-id": message.id };
  const reply = await send(settings, { method: "POST", url: endpoint, headers, body });
  return settleReply(scope, message, reply);
}

function settleReply({ db, settings }: Scope, message: Claimed["message"], reply: SendResult): Done {
  const ended_at = now();
  const { state, next_attempt_at, error } = decideOutcome(reply, {
    delivery_id: message.id,
    attempt: message.attempt,
    delays_ms: settings.DELIVERY_RETRY_MS,
    ended_at,
  });
  const settle = (settlement: Partial<Claimed["message"]>) => [
    settleSubscriberMessage(db, message, { ...settlement, updated_at: ended_at }),
  ];
  if (state === "delivered") return { statements: settle({ state: "sent", error: null }) };
  if (next_attempt_at === null) return { statements: settle({ state: "failed", error }) };
  return { statements: settle({ next_attempt_at, error }), retry_in_ms: next_attempt_at - ended_at };
}

function wordingOf(
  rootSecret: string,
  service_url: string,
  { subscriber, page }: Claimed,
  news: SubscriberMessageContent | null,
): MessageDraft {
  const { url } = buildPageUrls(page, { service_url, is_own_domain: false });
  const manage = subscriberToken(rootSecret, subscriber.id, { kind: "manage" });
  const links = {
    page: url,
    incident: news?.incident_id ? `${url}/incidents/${news.incident_id}` : null,
    manage: `${url}/subscribers/manage?token=${manage}`,
    unsubscribe: `${url}/subscribers/unsubscribe?token=${manage}`,
  };
  if (news) return composeUpdateMessage(page, news, links);
  const { requested_at, confirmed_at, unsubscribed_at } = subscriber;
  if (confirmed_at !== null && unsubscribed_at === null) return composeAlreadySubscribedMessage(page, links);
  const token = subscriberToken(rootSecret, subscriber.id, { kind: "confirm", requested_at: requested_at ?? 0 });
  return composeConfirmationMessage(page, { page: url, confirm: `${url}/subscribers/confirm?token=${token}` });
}

/** One-click unsubscription: RFC 2369 and RFC 8058. */
function toMail(to: string, wording: MessageDraft) {
  const leave: Record<string, string> =
    wording.links.unsubscribe === null
      ? {}
      : { "List-Unsubscribe": `<${wording.links.unsubscribe}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };
  return { to, subject: wording.subject, ...formatMail(wording), headers: leave };
}
