import { z } from "zod";
import type { Scope } from "../access/scope.ts";
import type { NewEvent } from "../contract/events.ts";
import { isTelephone, type TelephoneType } from "../contract/notify-contact.ts";
import { CONTACT_TYPES, type ContactType } from "../contract/on-call.ts";
import type { WebhookProvider } from "../contract/webhook.ts";
import { runBatch } from "../data/db.ts";
import type { EscalationNotificationRecord } from "../data/escalations/read.ts";
import { insertMail } from "../data/mail/write.ts";
import { findContactById } from "../data/notify-contacts/read.ts";
import { findWebhook } from "../data/webhooks/read.ts";
import { ACKNOWLEDGE, type AlertMessage } from "../domain/alert-messages.ts";
import { formatBrowserAlert } from "../notifiers/browser-alert.ts";
import { findTargetFlaw } from "../notifiers/fields.ts";
import type { NotifierInput, WebhookTarget } from "../notifiers/port.ts";
import { notifierOf } from "../notifiers/registry.ts";
import { idFrom } from "../platform/ids.ts";
import { seal, unseal } from "../platform/seal.ts";
import type { Settings } from "../platform/settings.ts";
import { sealAlertMail } from "./alert-mail.ts";
import { pushToBrowser } from "./browser-push.ts";
import { accountOf, type Sender } from "./consent.ts";
import { countContactRequest, findPlan, mayReachHost } from "./host-limits.ts";
import { dispatchMail } from "./mail.ts";
import { admit, stopLink } from "./outside-mail.ts";
import { sendPhoneAlert } from "./phone.ts";
import { chatServicesOf } from "./prepare.ts";
import { send } from "./sender.ts";
import { openConfig } from "./webhook-config.ts";

const AlertMessageSchema = z.object({
  tone: z.enum(["down", "warning", "good", "info"]),
  heading: z.string().optional(),
  title: z.string(),
  page_name: z.string().optional(),
  text: z.string(),
  facts: z.array(z.object({ label: z.string(), value: z.string() })),
  links: z.array(z.object({ label: z.string(), url: z.string() })),
  acknowledge_button: z.string().optional(),
  thread: z.object({ id: z.string(), state: z.string() }),
  is_resolved: z.boolean(),
});
const SealedContact = z.object({
  type: z.enum(CONTACT_TYPES),
  value: z.string(),
  message: AlertMessageSchema,
  page_name: z.string(),
  /** Of a person's own contact: the person. */
  user_id: z.string().optional(),
});
type SealedContact = z.infer<typeof SealedContact>;

type Claimed = Pick<EscalationNotificationRecord, "id" | "sealed">;

/** What a notification of a contact stores: chat addresses are credentials. */
export function sealContact({ settings }: Scope, id: string, contact: SealedContact): Promise<string> {
  return seal(settings.ROOT_SECRET, id, contact);
}

/** The person to whom a notification went; null for channels, and where it cannot be read. */
export async function personOf({ settings }: Pick<Scope, "settings">, { id, sealed }: Claimed): Promise<string | null> {
  const opened = SealedContact.safeParse(await unseal(settings.ROOT_SECRET, id, sealed).catch(() => null));
  return opened.data?.user_id ?? null;
}

/** One attempt to notify a contact. Null when it was accepted; otherwise the reason. */
export async function attemptContact(scope: Scope, claimed: Claimed, event: NewEvent): Promise<string | null> {
  const opened = SealedContact.safeParse(
    await unseal(scope.settings.ROOT_SECRET, claimed.id, claimed.sealed).catch(() => null),
  );
  if (!opened.success) return "the stored contact cannot be read";
  const { type, message, user_id } = opened.data;
  const sender: Sender =
    user_id === undefined ? { kind: "owner", owner_id: event.owner_id } : { kind: "person", user_id };
  if (type === "email") {
    const refusal = await admit(scope, sender, { kind: "mail", address: opened.data.value });
    return refusal ?? mailTo(scope, claimed, { ...opened.data, sender });
  }
  if (type === "push") return pushTo(scope, opened.data, event);
  if (isTelephone(type)) return phoneTo(scope, { ...opened.data, type, notification_id: claimed.id }, event);
  const receiver = await findReceiver(scope, opened.data);
  if (!receiver) return "the webhook of the contact no longer exists";
  const input: NotifierInput = {
    delivery_id: claimed.id,
    event,
    event_name: event.name,
    sent_at: scope.now,
    message: withUsableButton(scope.settings, receiver.provider, message),
    acknowledge_url: message.links.find(({ label }) => label === ACKNOWLEDGE)?.url,
    services: chatServicesOf(scope.settings),
  };
  const notifier = notifierOf(receiver.provider);
  const flaw = findTargetFlaw(notifier, receiver.target, input.services);
  if (flaw !== null) return flaw;
  const request = notifier.build(input, receiver.target);
  if (request === null) return "the provider of the contact has no message for an incident";
  const refusal = await admit(scope, sender, notifier.receiverOf?.(receiver.target));
  if (refusal !== null) return refusal;
  if (request.kind === "mail") return mailTo(scope, claimed, { ...opened.data, value: request.to, sender });
  const reached = { owner_id: event.owner_id, plan: await findPlan(scope, event.owner_id), url: request.url };
  // Slack, Discord and Telegram limit by themselves what reaches a channel.
  if (type === "webhook" && !(await mayReachHost(scope, "contact_host", reached))) {
    return "too many requests to this host in a minute";
  }
  await countContactRequest(scope, reached);
  const reply = await send(scope.settings, request);
  if (reply.kind === "unanswered") return reply.error;
  if (reply.kind !== "answered") return null;
  const reading = notifier.readAnswer?.(reply) ?? null;
  if (reading !== null) return reading.kind === "delivered" ? null : reading.error;
  if (reply.status >= 200 && reply.status < 300) return null;
  return `HTTP ${reply.status}`;
}

/** A button works where the chat service reports to this installation. */
function withUsableButton(
  settings: Settings,
  provider: WebhookProvider,
  { acknowledge_button, ...message }: AlertMessage,
): AlertMessage {
  const isHeard =
    (provider === "discord" && settings.DISCORD_PUBLIC_KEY !== "") ||
    (provider === "telegram_bot" && settings.TELEGRAM_WEBHOOK_SECRET !== "");
  return isHeard ? { ...message, acknowledge_button } : message;
}

async function mailTo(
  scope: Scope,
  { id }: Claimed,
  opened: SealedContact & { sender: Sender },
): Promise<string | null> {
  const reason = `This address is an on-call contact of ${opened.page_name}.`;
  const mail = await sealAlertMail(scope, {
    id: idFrom("escalation mail", id),
    to: opened.value,
    message: opened.message,
    reason,
    ...stopLink(scope, accountOf(opened.sender), opened.value),
  });
  await runBatch(scope.db, [insertMail(scope.db, mail)]);
  await dispatchMail(scope, [mail]);
  return null;
}

interface Receiver {
  provider: WebhookProvider;
  target: WebhookTarget;
}

/** The value of a push contact is its id. */
async function pushTo(scope: Scope, { value, message }: SealedContact, { owner_id }: NewEvent): Promise<string | null> {
  const contact = await findContactById(scope.db, value);
  if (!contact) return "the contact was deleted";
  await countContactRequest(scope, { owner_id, plan: await findPlan(scope, owner_id) });
  const reply = await pushToBrowser(scope, contact, formatBrowserAlert(message, scope.now));
  if (reply.kind === "unanswered") return reply.error;
  if (reply.kind !== "answered" || (reply.status >= 200 && reply.status < 300)) return null;
  return `the push service answered ${reply.status}`;
}

/** Likewise; the number is read when the message leaves. */
async function phoneTo(
  scope: Scope,
  { value, ...alert }: Pick<SealedContact, "value" | "message"> & { type: TelephoneType; notification_id: string },
  { owner_id, status_page_id: page_id }: NewEvent,
): Promise<string | null> {
  const contact = await findContactById(scope.db, value);
  if (!contact || contact.verified_at === null) return "the contact was deleted";
  await countContactRequest(scope, { owner_id, plan: await findPlan(scope, owner_id) });
  return sendPhoneAlert(scope, { ...alert, contact, owner_id, page_id });
}

type Chatting = Exclude<ContactType, "email" | "user" | "schedule" | "push" | TelephoneType>;
const PROVIDERS: Record<Chatting, WebhookProvider> = {
  webhook: "generic",
  slack: "slack",
  discord: "discord",
  telegram: "telegram_bot",
};

const isChatting = (type: ContactType): type is Chatting => Object.hasOwn(PROVIDERS, type);

/** The address of a contact, or the webhook that it names. */
async function findReceiver(scope: Scope, { type, value }: SealedContact): Promise<Receiver | null> {
  if (!isChatting(type)) return null;
  const target = { url: value, secret: null, previous_secret: null, channel: null, config: {} };
  if (/^https?:\/\//i.test(value)) return { provider: PROVIDERS[type], target };
  if (type === "telegram") return { provider: "telegram_bot", target: { ...target, url: `telegram:chat:${value}` } };
  if (type === "discord") {
    const channel = value.replace(/^discord:channel:/, "");
    return { provider: "discord", target: { ...target, url: `discord:channel:${channel}` } };
  }
  const webhook = await findWebhook(scope.db, value);
  if (!webhook) return null;
  const { url, secret, config } = await openConfig(scope.settings, webhook);
  return { provider: webhook.provider, target: { ...target, url, secret, config } };
}
