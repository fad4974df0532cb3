import type { Scope } from "../access/scope.ts";
import type { CustomEventName } from "../contract/events.ts";
import { type AddressedContactType, isTelephone } from "../contract/notify-contact.ts";
import type { WebhookProvider } from "../contract/webhook.ts";
import { insertMail } from "../data/mail/write.ts";
import type { NotifyContactRecord } from "../data/notify-contacts/read.ts";
import type { AlertMessage } from "../domain/alert-messages.ts";
import type { WebhookTarget } from "../notifiers/port.ts";
import { notifierOf } from "../notifiers/registry.ts";
import { sealMail } from "../outbox/mail.ts";
import { joinPublications, NOTHING, type Publication } from "../outbox/publication.ts";
import { contactCode } from "../platform/contact-codes.ts";
import { idFrom } from "../platform/ids.ts";
import { pushToBrowser } from "./browser-push.ts";
import { findChatRefusal } from "./consent.ts";
import { dispatchMail } from "./mail.ts";
import { sendPhoneCode } from "./phone.ts";
import { chatServicesOf } from "./prepare.ts";
import { send } from "./sender.ts";

const PROVIDERS: Record<AddressedContactType, WebhookProvider> = {
  email: "email",
  webhook: "generic",
  slack: "slack",
  discord: "discord",
  telegram: "telegram_bot",
};

/** The target of a contact, as the notifier of its type reads it. */
export function targetOf(
  type: AddressedContactType,
  value: string,
): { provider: WebhookProvider; target: WebhookTarget } {
  const url = type === "email" ? `mailto:${value}` : type === "telegram" ? `telegram:chat:${value}` : value;
  return { provider: PROVIDERS[type], target: { url, secret: null, previous_secret: null, channel: null, config: {} } };
}

/** Sends a contact its code: mail by the outbox, everything else by one attempt, which the user can repeat. */
export async function publishContactCode(
  scope: Scope,
  contact: NotifyContactRecord,
  value: string,
): Promise<Publication> {
  const { settings, db, log } = scope;
  const code = contactCode(settings.ROOT_SECRET, contact);
  if (contact.type === "push") return { statements: [], wake: () => pushCode(scope, contact, code) };
  const { type } = contact;
  if (isTelephone(type))
    return { statements: [], wake: () => phoneCode(scope, { ...contact, type }, { number: value, code }) };
  const { provider, target } = targetOf(type, value);
  const built = notifierOf(provider).build(
    {
      delivery_id: idFrom("contact code", contact.id),
      event: codeEvent(contact, code),
      event_name: CODE_EVENT,
      message: codeMessage(contact, code),
      sent_at: scope.now,
      services: chatServicesOf(settings),
    },
    target,
  );
  if (built === null) return NOTHING;
  if (built.kind === "mail") {
    const { kind: _, ...text } = built;
    const mail = await sealMail(scope, text);
    return { statements: [insertMail(db, mail)], wake: () => dispatchMail(scope, [mail]) };
  }
  const wake = async () => {
    const sender = { kind: "person", user_id: contact.user_id } as const;
    const refusal = await findChatRefusal(scope, sender, notifierOf(provider).receiverOf?.(target));
    if (refusal !== null) return log.info("contact code", { contact_id: contact.id, kind: "refused" });
    const reply = await send(settings, built);
    log.info("contact code", { contact_id: contact.id, kind: reply.kind });
  };
  return joinPublications([{ statements: [], wake }]);
}

async function phoneCode(
  scope: Scope,
  contact: Parameters<typeof sendPhoneCode>[1] & { id: string },
  sent: { number: string; code: string },
): Promise<void> {
  const refusal = await sendPhoneCode(scope, contact, sent);
  scope.log.info("contact code", { contact_id: contact.id, kind: refusal ?? "answered" });
}

/** The test message of a browser, which sends the code in it back by itself. */
async function pushCode(scope: Scope, contact: NotifyContactRecord, code: string): Promise<void> {
  const reply = await pushToBrowser(scope, contact, {
    kind: "code",
    title: "Alerts arrive here",
    body: "This is the test message of Vigil.",
    verify: `/app/account/contacts/${contact.id}/verify`,
    code,
  });
  scope.log.info("contact code", { contact_id: contact.id, kind: reply.kind });
}

// Not reserved by the catalogue, so that no webhook filter mistakes it for an event of the service.
const CODE_EVENT = "contact.verification" as CustomEventName;

function codeEvent(contact: NotifyContactRecord, code: string) {
  return {
    id: contact.id,
    owner_id: contact.user_id,
    status_page_id: null,
    monitor_id: null,
    name: CODE_EVENT,
    classification: "team_only" as const,
    data: { contact_id: contact.id, code },
    created_at: contact.created_at,
  };
}

function codeMessage(contact: NotifyContactRecord, code: string): AlertMessage {
  return {
    tone: "info",
    title: "Confirm this contact",
    text: "A user of Vigil wants alerts to be sent here. Without this code, nothing else is sent. It expires in 24 hours.",
    facts: [{ label: "Code", value: code }],
    links: [],
    thread: { id: contact.id, state: "code" },
    is_resolved: false,
  };
}
