import type { Scope } from "../access/scope.ts";
import { BrowserSubscription } from "../contract/notify-contact.ts";
import { insertSystemAudit } from "../data/audit/write.ts";
import { runBatch } from "../data/db.ts";
import { insertNotification } from "../data/notifications/write.ts";
import { findApplicationKey, type NotifyContactRecord } from "../data/notify-contacts/read.ts";
import { deleteNotifyContact, insertApplicationKey } from "../data/notify-contacts/write.ts";
import type { BrowserMessage } from "../lib/browser-message.ts";
import { HOUR_MS, SECOND_MS } from "../lib/durations.ts";
import { parseMailbox } from "../lib/mailbox.ts";
import { shorten } from "../lib/plain-text.ts";
import { idFrom } from "../platform/ids.ts";
import { seal, unseal } from "../platform/seal.ts";
import {
  type ApplicationKeyPair,
  buildPushRequest,
  makeApplicationKeys,
  PUSH_BYTES_MAX,
} from "../platform/web-push.ts";
import { findPlan, mayReachHost } from "./host-limits.ts";
import type { SendResult } from "./outcome.ts";
import { send } from "./sender.ts";

/**
 * Messages to browsers and phones by Web Push. The address of a subscription is a stranger's: it passes the guard of all
 * deliveries, answers like any receiver, and what it answers is not shown.
 */
type Contact = Pick<NotifyContactRecord, "id" | "user_id" | "type" | "label" | "sealed">;

/** An alert that a phone takes later is worth reading for as long. */
const ALERT_TTL_S = (12 * HOUR_MS) / SECOND_MS;
const CODE_TTL_S = HOUR_MS / SECOND_MS;
/** https://datatracker.ietf.org/doc/html/rfc8030#section-5.4 */
const TOPIC_LENGTH = 32;
/** The subscription is over: https://www.w3.org/TR/push-api/#subscription-refreshes and RFC 8030, 7.3. */
const ENDED = [404, 410];
const ONLY = "application key";
/** Of an installation that has neither an address of https nor mail: push services ask for one of the two forms. */
const NO_SUBJECT = "mailto:postmaster@vigil.invalid";

/** The key pair of the installation, made when the first browser asks for it. */
export async function getApplicationKeys({ db, settings, now }: Scope): Promise<ApplicationKeyPair> {
  const stored = (await findApplicationKey(db)) ?? (await storeApplicationKey({ db, settings, now }));
  return (await unseal(settings.ROOT_SECRET, stored.id, stored.sealed)) as ApplicationKeyPair;
}

async function storeApplicationKey({ db, settings, now }: Pick<Scope, "db" | "settings" | "now">) {
  const sealed = await seal(settings.ROOT_SECRET, ONLY, await makeApplicationKeys());
  await runBatch(db, [insertApplicationKey(db, { id: ONLY, sealed, created_at: now })]);
  const stored = await findApplicationKey(db);
  if (!stored) throw new Error("the key pair of push messages was not stored");
  return stored;
}

/** The subscription in the value of a contact; null where it is none. */
export function parseSubscription(value: string): BrowserSubscription | null {
  try {
    return BrowserSubscription.parse(JSON.parse(value));
  } catch {
    return null;
  }
}

/**
 * One attempt. Where the push service says that the subscription is over, its contact ends, and its person is notified in
 * the dashboard.
 */
export async function pushToBrowser(scope: Scope, contact: Contact, message: BrowserMessage): Promise<SendResult> {
  const { settings, log } = scope;
  const subscription = await openSubscription(scope, contact);
  if (!subscription) return { kind: "unanswered", is_final: true, error: "the stored subscription cannot be read" };
  const reached = {
    owner_id: contact.user_id,
    plan: await findPlan(scope, contact.user_id),
    url: subscription.endpoint,
  };
  if (!(await mayReachHost(scope, "contact_host", reached))) {
    return { kind: "unanswered", is_final: false, error: "too many requests to this host in a minute" };
  }
  const isAlert = message.kind === "alert";
  const request = await buildPushRequest(subscription, encode(message), {
    ttl: isAlert ? ALERT_TTL_S : CODE_TTL_S,
    urgency: isAlert && !message.is_urgent ? "normal" : "high",
    ...(isAlert && { topic: topicOf(message.tag) }),
    pair: await getApplicationKeys(scope),
    subject: subjectOf(scope),
  });
  const reply = await send(settings, request);
  if (reply.kind === "answered" && ENDED.includes(reply.status)) {
    await runBatch(scope.db, endOf(scope, contact));
    log.info("push subscription ended", { contact_id: contact.id, status: reply.status });
  }
  return reply;
}

/** Null where the operator's root secret is not the one that it was encrypted under. */
async function openSubscription(
  { settings, log }: Scope,
  { id, sealed }: Contact,
): Promise<BrowserSubscription | null> {
  try {
    const opened = await unseal(settings.ROOT_SECRET, id, sealed);
    return parseSubscription((opened as { value: string }).value);
  } catch (error) {
    log.error("push subscription cannot be read", error, { contact_id: id });
    return null;
  }
}

/** The body gives way where a message would be longer than a push service takes. */
function encode(message: BrowserMessage): string {
  const text = JSON.stringify(message);
  if (Buffer.byteLength(text) <= PUSH_BYTES_MAX || message.body === "") return text;
  return encode({ ...message, body: shorten(message.body, Math.floor(message.body.length / 2)) });
}

const topicOf = (tag: string) => idFrom("push topic", tag).replaceAll("-", "").slice(0, TOPIC_LENGTH);

function subjectOf({ settings: { PUBLIC_URL, MAIL_FROM } }: Scope): string {
  if (PUBLIC_URL.startsWith("https:")) return PUBLIC_URL;
  const sender = parseMailbox(MAIL_FROM);
  return sender ? `mailto:${sender.address}` : NO_SUBJECT;
}

/** The contact, and what its person learns of its end. */
function endOf({ db, now }: Scope, contact: Contact) {
  const { id, user_id, label } = contact;
  const name = label ?? "a browser";
  return [
    insertNotification(db, {
      id: idFrom("push subscription ended", id),
      user_id,
      type: "contact.ended",
      title: `Alerts no longer reach ${name}`,
      message: "The browser ended its subscription. Set it up again on that device, under Account, Contacts.",
      status_page_id: null,
      target_id: id,
      read_at: null,
      created_at: now,
      updated_at: now,
    }),
    insertSystemAudit(db, {
      id: idFrom("push subscription ended", "audit", id),
      owner_id: user_id,
      event_type: "notify_contact.deleted",
      monitor_id: null,
      status_page_id: null,
      target_type: "notify_contact",
      target_id: id,
      summary: "deleted a contact of the type push, whose subscription the browser ended",
      data: {},
      created_at: now,
    }),
    deleteNotifyContact(db, contact),
  ];
}
