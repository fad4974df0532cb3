import type { Deps } from "../access/deps.ts";
import { SubscriberAddress, type SubscriberEvent, SubscriberNews } from "../contract/subscriber.ts";
import { type Db, runBatch, type Statement } from "../data/db.ts";
import type { StoredEvent } from "../data/events.ts";
import {
  claimSubscriberMessage,
  deleteSubscriberMessagesBefore,
  deleteUnconfirmedBefore,
  insertNews,
  listAffected,
  listDueSubscriberMessages,
  settleSubscriberMessage,
} from "../data/subscribers.ts";
import {
  toBody,
  toHtmlMail,
  toPlainText,
  type Wording,
  wordConfirmation,
  wordNews,
  wordReminder,
} from "../domain/subscriber-news.ts";
import { unseal } from "../platform/seal.ts";
import { subscriberToken } from "../platform/subscriber-tokens.ts";
import { prepareMail } from "./mail.ts";
import { decideOutcome, type Reply } from "./outcome.ts";
import { send } from "./sender.ts";

/**
 * What subscribers of a page are told. The event's batch stores one message for each of them; the minute's sweep hands
 * mail to the outbox and sends everything else itself, again and again as deliveries are.
 */
const SENT_PER_MINUTE = 300;
const AT_ONCE = 5;
const LEASE_MS = 60_000;
const DAY_MS = 86_400_000;
const KEPT_MS = 30 * DAY_MS;
const UNCONFIRMED_KEPT_MS = 7 * DAY_MS;

/** Only what is published is told, and only where whoever wrote it did not decide otherwise. */
export async function tellSubscribers(db: Db, events: readonly StoredEvent[], now: number): Promise<Statement[]> {
  const told = events.flatMap((event) => {
    const topic = topicOf(event.name);
    const { status_page_id, data } = event;
    if (topic === null || status_page_id === null || data.is_public !== true) return [];
    return data.notify_subscribers === false ? [] : [{ event, topic, status_page_id }];
  });
  const statements: Statement[] = [];
  for (const { event, topic, status_page_id } of told) {
    const affected = await affectedBy(db, event);
    const news = { ...newsOf(event) };
    statements.push(insertNews(db, { event_id: event.id, status_page_id, topic, ...affected, news, now }));
  }
  return statements;
}

function topicOf(name: string): SubscriberEvent | null {
  if (name.startsWith("incident.")) return "incident";
  return name.startsWith("maintenance.") ? "maintenance" : null;
}

/** The event's own monitor is named as well, because its incident is stored in this very batch. */
function affectedBy(db: Db, { data }: StoredEvent) {
  const id = data.incident_id ?? data.maintenance_id;
  const own = typeof data.monitor_id === "string" ? [data.monitor_id] : [];
  return listAffected(db, { id: typeof id === "string" ? id : "", monitor_ids: own });
}

function newsOf({ name, data }: StoredEvent): SubscriberNews {
  const textOf = (value: unknown) => (typeof value === "string" ? value : null);
  return {
    event: name,
    title: textOf(data.title) ?? "",
    status: textOf(data.status) ?? "",
    message: textOf(data.message) ?? textOf(data.description),
    starts_at: textOf(data.start),
    ends_at: textOf(data.end),
  };
}

/** Every minute. */
export async function sweepSubscribers(deps: Deps): Promise<void> {
  const due = await listDueSubscriberMessages(deps.db, deps.now(), SENT_PER_MINUTE);
  for (let from = 0; from < due.length; from += AT_ONCE) {
    await Promise.all(due.slice(from, from + AT_ONCE).map((id) => attempt(deps, id)));
  }
  await runBatch(deps.db, [
    deleteUnconfirmedBefore(deps.db, deps.now() - UNCONFIRMED_KEPT_MS),
    deleteSubscriberMessagesBefore(deps.db, deps.now() - KEPT_MS),
  ]);
}

type Claimed = NonNullable<Awaited<ReturnType<typeof claimSubscriberMessage>>>;

async function attempt(deps: Deps, id: string): Promise<void> {
  const claimed = await claimSubscriberMessage(deps.db, id, { now: deps.now(), lease_until: deps.now() + LEASE_MS });
  if (!claimed) return;
  try {
    await runBatch(deps.db, await perform(deps, claimed));
  } catch (error) {
    // The lease ends, and somebody tries again.
    deps.log.error("subscriber message", error, { subscriber_message_id: id });
  }
}

/** The statements that record what came of it. Mail becomes part of the outbox in the same batch. */
async function perform(deps: Deps, claimed: Claimed): Promise<Statement[]> {
  const { db, settings } = deps;
  const { message, subscriber } = claimed;
  const now = deps.now();
  const settled = (state: "sent" | "failed", error: string | null = null) =>
    settleSubscriberMessage(db, message, { state, error, updated_at: now });
  const isAsked =
    message.kind === "confirm" || (subscriber.confirmed_at !== null && subscriber.unsubscribed_at === null);
  if (subscriber.sealed === null || !isAsked) return [settled("failed", "no longer subscribed")];
  const { endpoint, base_url } = SubscriberAddress.parse(
    await unseal(settings.ROOT_SECRET, subscriber.id, subscriber.sealed),
  );
  const news = message.kind === "news" ? SubscriberNews.parse(message.news) : null;
  const wording = wordingOf(settings.ROOT_SECRET, settings.PUBLIC_URL || base_url, claimed, news);
  if (subscriber.channel === "email") {
    const mail = await prepareMail({ db, settings, now }, toMail(endpoint, wording));
    return [...mail, settled("sent")];
  }
  const body = toBody(subscriber.channel, wording, news);
  const headers = { "content-type": "application/json", "webhook-id": message.id };
  const reply = await send(settings, { method: "POST", url: endpoint, headers, body });
  return [settleReply(deps, message, reply)];
}

function settleReply({ db, settings, now }: Deps, message: Claimed["message"], reply: Reply): Statement {
  const { state, next_attempt_at, error } = decideOutcome(reply, {
    delivery_id: message.id,
    attempt: message.attempt,
    delays_ms: settings.DELIVERY_RETRY_MS,
    ended_at: now(),
  });
  if (state === "delivered")
    return settleSubscriberMessage(db, message, { state: "sent", error: null, updated_at: now() });
  return next_attempt_at === null
    ? settleSubscriberMessage(db, message, { state: "failed", error, updated_at: now() })
    : settleSubscriberMessage(db, message, { next_attempt_at, error, updated_at: now() });
}

function wordingOf(
  rootSecret: string,
  base: string,
  { subscriber, page }: Claimed,
  news: SubscriberNews | null,
): Wording {
  const home = `${base}/status/${page.slug}`;
  const manage = subscriberToken(rootSecret, subscriber.id, { kind: "manage" });
  const links = {
    page: home,
    manage: `${home}/subscribers/manage?token=${manage}`,
    unsubscribe: `${home}/subscribers/unsubscribe?token=${manage}`,
  };
  if (news) return wordNews(page.name, news, links);
  const { requested_at, confirmed_at, unsubscribed_at } = subscriber;
  if (confirmed_at !== null && unsubscribed_at === null) return wordReminder(page.name, links);
  const token = subscriberToken(rootSecret, subscriber.id, { kind: "confirm", requested_at: requested_at ?? 0 });
  return wordConfirmation(page.name, `${home}/subscribers/confirm?token=${token}`);
}

/** One-click unsubscription: RFC 2369 and RFC 8058. */
function toMail(to: string, wording: Wording) {
  const leave: Record<string, string> =
    wording.unsubscribe === null
      ? {}
      : { "List-Unsubscribe": `<${wording.unsubscribe}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };
  return { to, subject: wording.subject, text: toPlainText(wording), html: toHtmlMail(wording), headers: leave };
}
