import { isWithinMailRate, recipientOf } from "../../access/mail-rate.ts";
import type { RequestScope } from "../../access/scope.ts";
import { notFound, unauthenticated } from "../../contract/errors.ts";
import type { TwilioCall, TwilioMessage } from "../../contract/phone-answer.ts";
import { runBatch } from "../../data/db.ts";
import {
  type EscalationNotificationRecord,
  type EscalationRecord,
  findEscalation,
  findEscalationNotification,
  listEscalationsToContact,
} from "../../data/escalations/read.ts";
import { hastenNextStep, recordUnansweredCall } from "../../data/escalations/write.ts";
import { listContactsOfNumber, type NotifyContactRecord } from "../../data/notify-contacts/read.ts";
import { findWebhook } from "../../data/webhooks/read.ts";
import { personOf } from "../../delivery/contact-attempt.ts";
import { openLine, type PhoneLine, takeParts } from "../../delivery/phone.ts";
import { countSmsParts } from "../../domain/phone.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { configText } from "../../notifiers/fields.ts";
import { notifierOf } from "../../notifiers/registry.ts";
import { wakeEscalations } from "../../outbox/escalations.ts";
import { isSignedByTwilio } from "../../platform/chat-signatures.ts";
import { recipientHash } from "../../platform/credentials.ts";
import { mayOn, NOT_ALLOWED } from "../chat-accounts/acting.ts";
import { once } from "../chat-services/commands.ts";
import { acknowledgeFrom, hasEnded } from "../escalations/service.ts";
import { replyTwiml, SILENT_TWIML, sayTwiml } from "./present.ts";

/** What people answer to text messages and calls. Twilio's signature is the credential, by the secret of one channel. */

const ANSWERED_WITHIN_MS = 7 * DAY_MS;
const ACKNOWLEDGEMENT = /^\s*(?:ack|acknowledge|ok)\b/i;
const HELP = "Reply ACK to acknowledge the alerts that were sent to you here.";
const NOTHING_OPEN = "Nothing waits for an answer.";
const MAY_NOT_BE_REACHED: Record<string, string> = {
  busy: "the line was busy",
  "no-answer": "nobody answered the call",
  failed: "the call could not be made",
  canceled: "the call was cancelled",
};

interface Signed {
  webhook_id: string;
  signature: string;
  url: string;
  form: URLSearchParams;
}

/** The channel whose secret signed the request; a channel that does not exist is refused in the same way. */
export async function requireSigned(
  ctx: RequestScope,
  provider: "twilio_sms" | "twilio_voice",
  { webhook_id, ...request }: Signed,
): Promise<PhoneLine> {
  const webhook = await findWebhook(ctx.db, webhook_id);
  if (webhook?.provider !== provider || !webhook.is_active) throw unauthenticated();
  const line = await openLine(ctx, webhook);
  const secret = (name: string) => configText(notifierOf(provider), line.target, name);
  const isOfAccount = request.form.get("AccountSid") === secret("account_sid");
  if (!isOfAccount || !isSignedByTwilio(secret("auth_token"), request)) throw unauthenticated();
  return line;
}

/**
 * The reply as TwiML. Only people of the channel's owner get one: each costs the owner, and who owns a channel can sign in the
 * name of any number, and must not learn by an answer which numbers others verified.
 */
export async function answerMessage(ctx: RequestScope, line: PhoneLine, message: TwilioMessage): Promise<string> {
  const { id: webhook_id, owner_id } = line.webhook;
  const contacts = await listContactsOfNumber(ctx.db, { number_hash: recipientHash(message.From), owner_id });
  const [first] = contacts;
  if (!first) return SILENT_TWIML;
  const text = await once(ctx, `twilio ${webhook_id} ${message.MessageSid}`, () =>
    ACKNOWLEDGEMENT.test(message.Body) ? acknowledgeAll(ctx, line, contacts) : help(ctx, first, message.From),
  );
  if (!text || !(await takeParts(ctx, line, countSmsParts(text)))) return SILENT_TWIML;
  return replyTwiml(text);
}

/** Two machines that answer each other end here. */
async function help(ctx: RequestScope, { user_id }: NotifyContactRecord, number: string): Promise<string | null> {
  const isWithin = await isWithinMailRate(ctx, { kind: "account", account_id: user_id }, recipientOf("phone", number));
  return isWithin ? HELP : null;
}

async function acknowledgeAll(
  ctx: RequestScope,
  { webhook }: PhoneLine,
  contacts: readonly NotifyContactRecord[],
): Promise<string> {
  let count = 0;
  let isRefused = false;
  for (const { id: contact_id, user_id } of contacts) {
    const since = ctx.now - ANSWERED_WITHIN_MS;
    for (const escalation of await listEscalationsToContact(ctx.db, {
      owner_id: webhook.owner_id,
      contact_id,
      since,
    })) {
      if (!(await mayOn(ctx, { page_id: escalation.status_page_id, user_id }))) {
        isRefused = true;
        continue;
      }
      count += await acknowledgeFrom(ctx, escalation, { by: user_id, how: " by text message" });
    }
  }
  if (count === 0) return isRefused ? NOT_ALLOWED : NOTHING_OPEN;
  return `Acknowledged ${count === 1 ? "1 alert" : `${count} alerts`}. Nobody else is notified.`;
}

/** What a person pressed, or that nobody answered, as TwiML. */
export async function answerCall(
  ctx: RequestScope,
  line: PhoneLine,
  { notification_id, call }: { notification_id: string; call: TwilioCall },
): Promise<string> {
  const notification = await findEscalationNotification(ctx.db, notification_id);
  const escalation = notification && (await findEscalation(ctx.db, notification.escalation_id));
  const isOfChannel = notification?.contact_type === "phone" && escalation?.owner_id === line.webhook.owner_id;
  if (!notification || !escalation || !isOfChannel) throw notFound("call");
  if (call.Digits !== undefined) return sayTwiml(await pressKey(ctx, { notification, escalation }, call.Digits));
  const error = MAY_NOT_BE_REACHED[call.CallStatus];
  if (error !== undefined) {
    await goOn(ctx, notification, [recordUnansweredCall(ctx.db, notification, { error, now: ctx.now })], true);
  }
  return SILENT_TWIML;
}

interface Called {
  notification: EscalationNotificationRecord;
  escalation: EscalationRecord;
}

async function pressKey(ctx: RequestScope, { notification, escalation }: Called, key: string): Promise<string> {
  if (key !== "1" && key !== "2") return "This key does nothing. Goodbye.";
  const by = await personOf(ctx, notification);
  const link = { id: escalation.id, sent_at: notification.created_at, user_id: by };
  if (hasEnded(ctx, link, escalation)) return "This call is no longer valid. Goodbye.";
  if (by === null || !(await mayOn(ctx, { page_id: escalation.status_page_id, user_id: by })))
    return `${NOT_ALLOWED} Goodbye.`;
  if (key === "2") {
    await goOn(ctx, notification, [], false);
    return "The next step is notified. Goodbye.";
  }
  const count = await acknowledgeFrom(ctx, escalation, { by, how: " by a key of a call" });
  return count === 0 ? "It was acknowledged before, or is over. Goodbye." : "Acknowledged. Goodbye.";
}

async function goOn(
  ctx: RequestScope,
  notification: EscalationNotificationRecord,
  before: Parameters<typeof runBatch>[1],
  unless_calling: boolean,
): Promise<void> {
  await runBatch(ctx.db, [...before, hastenNextStep(ctx.db, notification, { unless_calling, now: ctx.now })]);
  await wakeEscalations(ctx, [notification.escalation_id]);
}
