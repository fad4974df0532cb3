import type { Scope } from "../access/scope.ts";
import type { TelephoneType } from "../contract/notify-contact.ts";
import type { WebhookProvider } from "../contract/webhook.ts";
import { runBatch } from "../data/db.ts";
import { insertMailIf } from "../data/mail/write.ts";
import { isNotNotified } from "../data/notifications/read.ts";
import { insertNotificationIf } from "../data/notifications/write.ts";
import type { NotifyContactRecord } from "../data/notify-contacts/read.ts";
import { listLinesOfPage, listLinesOfPerson, listTakenParts } from "../data/phone-budgets/read.ts";
import { takePhoneParts } from "../data/phone-budgets/write.ts";
import { findWebhookOwner, type WebhookRecord } from "../data/webhooks/read.ts";
import type { AlertMessage } from "../domain/alert-messages.ts";
import { composeSms, countSmsParts, isAllowedNumber, type PhoneUse } from "../domain/phone.ts";
import { configText } from "../notifiers/fields.ts";
import type { NotifierRequest, WebhookTarget } from "../notifiers/port.ts";
import { notifierOf } from "../notifiers/registry.ts";
import { canBeAnswered, codeCall, keyCall, smsRequest } from "../notifiers/twilio.ts";
import { sealMail } from "../outbox/mail.ts";
import { idFrom } from "../platform/ids.ts";
import { unseal } from "../platform/seal.ts";
import { dispatchMail } from "./mail.ts";
import { send } from "./sender.ts";
import { openConfig } from "./webhook-config.ts";

/**
 * Text messages and calls to people, by a Twilio channel of the owner of a page. The owner pays for them, so that the owner
 * says how many in a month and to which countries; without both nobody is reached by telephone.
 */
const PROVIDERS: Record<TelephoneType, WebhookProvider> = { sms: "twilio_sms", phone: "twilio_voice" };

export interface PhoneLine {
  webhook: WebhookRecord;
  target: WebhookTarget;
  parts_max: number;
}

type Found = { line: PhoneLine } | { refusal: string };

/** By which a person may be sent the code of a number. */
export async function findLineOfPerson(
  scope: Scope,
  { type, number, user_id }: { type: TelephoneType; number: string; user_id: string },
): Promise<Found> {
  return choose(scope, number, await listLinesOfPerson(scope.db, { provider: PROVIDERS[type], user_id }));
}

export async function openLine({ settings }: Pick<Scope, "settings">, webhook: WebhookRecord): Promise<PhoneLine> {
  const { url, secret, config } = await openConfig(settings, webhook);
  const target = { url, secret, previous_secret: null, channel: null, config };
  return { webhook, target, parts_max: Number(configText(notifierOf(webhook.provider), target, "people_monthly_max")) };
}

/** Of a channel that may reach people; null of any other. */
export async function findUseOfChannel(scope: Scope, webhook: WebhookRecord): Promise<PhoneUse | null> {
  if (!Object.values(PROVIDERS).includes(webhook.provider)) return null;
  const line = await openLine(scope, webhook);
  const [use = null] = await usesOf(scope, [line]);
  return line.parts_max === 0 ? null : use;
}

/** Of the channel by which each of a person's numbers is reached; null where none reaches it. */
export async function listUsesOfPerson(
  scope: Scope,
  { user_id, telephones }: { user_id: string; telephones: readonly { type: TelephoneType; number: string }[] },
): Promise<(PhoneUse | null)[]> {
  const types = [...new Set(telephones.map(({ type }) => type))];
  const webhooks = new Map(
    await Promise.all(
      types.map(
        async (type) => [type, await listLinesOfPerson(scope.db, { provider: PROVIDERS[type], user_id })] as const,
      ),
    ),
  );
  const found = await Promise.all(
    telephones.map(({ type, number }) => choose(scope, number, webhooks.get(type) ?? [])),
  );
  return usesOf(
    scope,
    found.map((each) => ("line" in each ? each.line : null)),
  );
}

async function usesOf(scope: Scope, lines: readonly (PhoneLine | null)[]): Promise<(PhoneUse | null)[]> {
  const webhook_ids = [...new Set(lines.flatMap((line) => line?.webhook.id ?? []))];
  const taken = await listTakenParts(scope.db, { webhook_ids, month: monthOf(scope.now) });
  return lines.map((line) => line && { taken: taken.get(line.webhook.id) ?? 0, parts_max: line.parts_max });
}

const monthOf = (now: number) => new Date(now).toISOString().slice(0, 7);

async function choose(scope: Scope, number: string, webhooks: readonly WebhookRecord[]): Promise<Found> {
  let refusal =
    "no Twilio channel of a page of yours reaches people: its owner sets how many messages a month it may send";
  for (const webhook of webhooks) {
    const line = await openLine(scope, webhook);
    if (line.parts_max === 0) continue;
    if (isAllowedNumber(number, configText(notifierOf(webhook.provider), line.target, "people_countries"))) {
      return { line };
    }
    refusal = "the owner of the Twilio channel does not allow numbers of this country";
  }
  return { refusal };
}

/** Sends the code of a contact, or reads it out; null when Twilio accepted it, otherwise the reason. */
export async function sendPhoneCode(
  scope: Scope,
  { type, user_id }: Pick<NotifyContactRecord, "user_id"> & { type: TelephoneType },
  { number, code }: { number: string; code: string },
): Promise<string | null> {
  const found = await findLineOfPerson(scope, { type, number, user_id });
  if ("refusal" in found) return found.refusal;
  const { target } = found.line;
  const text = `${code} is your code to get alerts here. If you did not ask for it, ignore this message.`;
  const request = type === "sms" ? smsRequest(target, number, text) : codeCall(target, number, code);
  return sendBy(scope, found.line, { request, parts: type === "sms" ? countSmsParts(text) : 1 });
}

interface PhoneAlert {
  type: TelephoneType;
  contact: NotifyContactRecord;
  message: AlertMessage;
  owner_id: string;
  page_id: string | null;
  notification_id: string;
}

/** One alert to a verified number; null when Twilio accepted it, otherwise the reason. */
export async function sendPhoneAlert(scope: Scope, alert: PhoneAlert): Promise<string | null> {
  const { type, contact, message, owner_id, page_id } = alert;
  const number = await openNumber(scope, contact);
  const provider = PROVIDERS[type];
  const found = await choose(scope, number, await listLinesOfPage(scope.db, { provider, owner_id, page_id }));
  if ("refusal" in found) return found.refusal;
  const { webhook, target } = found.line;
  const base = scope.settings.PUBLIC_URL;
  if (type === "phone") {
    const callback = base === "" ? null : `${base}${callPath(webhook.id, alert.notification_id)}`;
    return sendBy(scope, found.line, { request: keyCall(target, number, { message, callback }), parts: 1 });
  }
  const text = composeSms(message, { canReply: base !== "" && canBeAnswered(target) });
  return sendBy(scope, found.line, { request: smsRequest(target, number, text), parts: countSmsParts(text) });
}

const callPath = (webhookId: string, notificationId: string) =>
  `/integrations/twilio/${webhookId}/calls/${notificationId}`;

export async function openNumber({ settings }: Scope, { id, sealed }: NotifyContactRecord): Promise<string> {
  const opened = await unseal(settings.ROOT_SECRET, id, sealed);
  return typeof opened === "object" && opened !== null && "value" in opened ? String(opened.value) : "";
}

async function sendBy(
  scope: Scope,
  line: PhoneLine,
  { request, parts }: { request: NotifierRequest; parts: number },
): Promise<string | null> {
  if (!(await takeParts(scope, line, parts))) return "the monthly limit of the Twilio channel is reached";
  const reply = await send(scope.settings, request);
  if (reply.kind === "unanswered") return reply.error;
  if (reply.kind !== "answered" || (reply.status >= 200 && reply.status < 300)) return null;
  const [, code] = /"code"\s*:\s*(\d{1,6})/.exec(reply.excerpt) ?? [];
  return code === undefined ? `HTTP ${reply.status}` : `HTTP ${reply.status}, Twilio's error ${code}`;
}

/** Takes what a message costs from the month; the first refusal of a month is said to the owner. */
export async function takeParts(scope: Scope, { webhook, parts_max }: PhoneLine, parts: number): Promise<boolean> {
  const month = monthOf(scope.now);
  if (await takePhoneParts(scope.db, { webhook_id: webhook.id, month, parts, parts_max })) return true;
  await noticeReached(scope, webhook, { month, parts_max });
  return false;
}

async function noticeReached(
  scope: Scope,
  webhook: WebhookRecord,
  { month, parts_max }: { month: string; parts_max: number },
): Promise<void> {
  const { db, settings, now } = scope;
  const owner = await findWebhookOwner(db, webhook);
  if (!owner) return;
  const id = idFrom("phone limit", webhook.id, month);
  const title = `${webhook.name} sends no more messages to people this month`;
  const message = `Its ${parts_max} messages and calls of ${month} are used up. People on call are reached by their other contacts alone until the month is over, or you raise the limit of the channel.`;
  const where = settings.PUBLIC_URL === "" ? "" : `\n\n${settings.PUBLIC_URL}/app/alerts/${webhook.id}/edit`;
  const mail = await sealMail(scope, { to: owner.email, subject: title, text: `${message}${where}` });
  const isFirst = isNotNotified(id);
  const notification = {
    id,
    user_id: webhook.owner_id,
    type: "webhook.failing" as const,
    title,
    message,
    status_page_id: webhook.status_page_id,
    target_id: webhook.id,
    read_at: null,
    created_at: now,
    updated_at: now,
  };
  // The mail first, because the notification is what says that both were inserted.
  await runBatch(db, [insertMailIf(db, mail, isFirst), insertNotificationIf(db, notification, isFirst)]);
  await dispatchMail(scope, [mail]);
}
