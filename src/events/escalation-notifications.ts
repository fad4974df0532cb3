import { z } from "zod";
import type { Scope } from "../access/scope.ts";
import type { NotifyContactType } from "../contract/notify-contact.ts";
import { namesUser, type StoredEscalationStep } from "../contract/on-call.ts";
import type { Statement } from "../data/db.ts";
import type { EscalationNotificationRecord, LoadedEscalation, LoadedSubject } from "../data/escalations/read.ts";
import { insertMail } from "../data/mail/write.ts";
import { insertNotification } from "../data/notifications/write.ts";
import { WAKE_GRACE_MS } from "../data/outbox/rows.ts";
import { sealAlertMail } from "../delivery/alert-mail.ts";
import { sealContact } from "../delivery/contact-attempt.ts";
import { dispatchMail } from "../delivery/mail.ts";
import { maskUrl } from "../delivery/webhook-config.ts";
import { ACKNOWLEDGE, type AlertMessage, EVIDENCE, OPEN_INCIDENT } from "../domain/alert-messages.ts";
import { type EscalationEffect, isFollowUp, type NotifyEffect } from "../domain/escalation.ts";
import {
  composeEscalationMessage,
  composeExhaustedMessage,
  composeFollowUpMessage,
} from "../domain/escalation-messages.ts";
import { evidencePath } from "../domain/observed.ts";
import { acknowledgeButton, acknowledgeToken } from "../platform/acknowledge-tokens.ts";
import { idFrom } from "../platform/ids.ts";
import { seal, unseal } from "../platform/seal.ts";
import type { Device, Person } from "./escalation-recipients.ts";

const StoredContact = z.object({ value: z.string() });

/** `more`: the only content, because the recipient knows of the rest; empty for everything. */
interface Notified {
  effect: NotifyEffect;
  more: readonly LoadedSubject[];
}

type Contact = StoredEscalationStep["contacts"][number];

/** A message that is a row of the batch: what it needs to leave is stored with the decision. */
export interface OnCallMessage {
  record: EscalationNotificationRecord;
  statements: Statement[];
  wake(): Promise<void>;
}

/** The in-app notification and the mail of a person on call. */
export async function notifyPerson(
  scope: Scope,
  loaded: LoadedEscalation,
  { effect, more, person }: Notified & { person: Person },
): Promise<OnCallMessage> {
  return toPerson(scope, loaded, {
    key: effect.notification_id,
    level: effect.level,
    person,
    type: "oncall.notified",
    message: messageFor(scope, loaded, { effect, more, user_id: person.id }),
    reason: `You are on call for ${loaded.page.name}.`,
  });
}

/** The personal contacts of a person on call; they are besides the mail, so that the escalation does not wait for them. */
export async function notifyContacts(
  scope: Scope,
  loaded: LoadedEscalation,
  { effect, more, person }: Notified & { person: Person },
): Promise<EscalationNotificationRecord[]> {
  const records = await Promise.all(
    person.contacts.map(async (contact) => {
      const { id, type, label, sealed } = contact;
      const own = { ...effect, notification_id: `${effect.notification_id}.${id}` };
      if (namesUser(type))
        return [await notifyDevice(scope, loaded, { effect: own, device: { person, contact }, more })];
      const value = await openContact(scope, id, sealed);
      if (value === null || (type === "email" && value.toLowerCase() === person.email.toLowerCase())) return [];
      const named = { type, value, label: label ?? `${person.name}, ${type}` };
      return [await buildNotification(scope, loaded, { effect: own, contact: named, more, user_id: person.id })];
    }),
  );
  return records.flat();
}

const DEVICE_NAMES: Partial<Record<NotifyContactType, string>> = { sms: "text message", phone: "call" };

/** One browser, phone or number; its address is read when the message leaves. */
export function notifyDevice(
  scope: Scope,
  loaded: LoadedEscalation,
  { effect, more, device: { person, contact } }: Notified & { device: Device },
): Promise<EscalationNotificationRecord> {
  const label = `${person.name}, ${contact.label ?? DEVICE_NAMES[contact.type] ?? "browser"}`;
  const named = { type: contact.type, value: contact.id, label };
  return buildNotification(scope, loaded, { effect, contact: named, more, user_id: person.id });
}

/** One that cannot be read costs no other message. */
async function openContact({ settings, log }: Scope, id: string, sealed: string): Promise<string | null> {
  try {
    return StoredContact.parse(await unseal(settings.ROOT_SECRET, id, sealed)).value;
  } catch (error) {
    log.error("personal contact cannot be read", error, { contact_id: id });
    return null;
  }
}

/** The end of the chain: nobody was reached, or nobody answered. */
export async function notifyOwner(
  scope: Scope,
  loaded: LoadedEscalation,
  effect: Extract<EscalationEffect, { kind: "notify_owner" }>,
): Promise<OnCallMessage> {
  const { page, owner_email } = loaded;
  return toPerson(scope, loaded, {
    key: effect.notification_id,
    level: 0,
    type: "oncall.exhausted",
    person: { id: page.owner_id, name: "owner", email: owner_email, contacts: [] },
    message: composeExhaustedMessage(subjectsOf(loaded), effect.reason, {
      page,
      links: linksOf(scope, loaded, page.owner_id),
    }),
    reason: `You own the status page ${page.name}.`,
  });
}

interface PersonalMessage {
  key: string;
  level: number;
  person: Person;
  type: "oncall.notified" | "oncall.exhausted";
  message: AlertMessage;
  reason: string;
}

async function toPerson(scope: Scope, loaded: LoadedEscalation, personal: PersonalMessage): Promise<OnCallMessage> {
  const { db, now } = scope;
  const { key, level, person, type, message, reason } = personal;
  const id = idFrom("escalation notification", loaded.escalation.id, key);
  const mail = await sealAlertMail(scope, { id: idFrom("escalation mail", id), to: person.email, message, reason });
  const notification = {
    id: idFrom("notification", id),
    user_id: person.id,
    type,
    title: message.title,
    message: message.text,
    status_page_id: loaded.page.id,
    target_id: loaded.own.shown_incident_id ?? loaded.escalation.id,
    read_at: null,
    created_at: now,
    updated_at: now,
  };
  const sealed = await seal(scope.settings.ROOT_SECRET, id, { type: "user", value: person.id });
  return {
    record: {
      ...base(loaded, { id, key, level, now }),
      contact_type: "user",
      label: person.name,
      sealed,
      state: "sent",
      next_attempt_at: null,
      mail_id: mail.id,
    },
    statements: [insertNotification(db, notification), insertMail(db, mail)],
    wake: () => dispatchMail(scope, [mail]).catch((error) => scope.log.error("mail", error, { mail_id: mail.id })),
  };
}

/** The row of a notification that leaves as a request or mail of its own. */
export async function buildNotification(
  scope: Scope,
  loaded: LoadedEscalation,
  { effect, more, contact, user_id }: Notified & { contact: Contact; user_id: string | null },
): Promise<EscalationNotificationRecord> {
  const { type, value } = contact;
  const id = idFrom("escalation notification", loaded.escalation.id, effect.notification_id);
  const message = messageFor(scope, loaded, { effect, more, user_id });
  const sealed = await sealContact(scope, id, {
    type,
    value,
    message,
    page_name: loaded.page.name,
    user_id: user_id ?? undefined,
  });
  return {
    ...base(loaded, { id, key: effect.notification_id, level: effect.level, now: scope.now }),
    contact_type: type,
    label: contact.label ?? maskValue(value),
    sealed,
    state: "pending",
    next_attempt_at: scope.now,
    mail_id: null,
  };
}

/** What the timeline shows of a step that leads to nobody. */
export function buildGapRecord(
  { now }: Scope,
  loaded: LoadedEscalation,
  { level, step, round }: Extract<EscalationEffect, { kind: "gap" }>,
): EscalationNotificationRecord {
  const key = `${(loaded.escalation.state?.run ?? 0).toString()}.${round}.${step}.gap`;
  const id = idFrom("escalation notification", loaded.escalation.id, key);
  return {
    ...base(loaded, { id, key, level, now }),
    contact_type: "nobody",
    label: `step ${level}`,
    sealed: "",
    mail_id: null,
    next_attempt_at: null,
    state: "failed",
    error: "the step leads to nobody",
    is_failure_reported: true,
  };
}

function base(
  { escalation }: LoadedEscalation,
  { id, key, level, now }: { id: string; key: string; level: number; now: number },
) {
  return {
    id,
    escalation_id: escalation.id,
    notification_key: key,
    level,
    is_failure_reported: false,
    error: null,
    attempt: 0,
    lease_until: 0,
    wake_at: now + WAKE_GRACE_MS,
    created_at: now,
    updated_at: now,
  };
}

function messageFor(
  scope: Scope,
  loaded: LoadedEscalation,
  { effect, more, user_id }: Notified & { user_id: string | null },
): AlertMessage {
  const { page, escalation } = loaded;
  const links = linksOf(scope, loaded, user_id);
  const [first, ...others] = more;
  return {
    ...(isFollowUp(effect.notification_id) && first
      ? composeFollowUpMessage([first, ...others], effect, { page, links })
      : composeEscalationMessage(subjectsOf(loaded), effect, { page, links })),
    acknowledge_button: acknowledgeButton(scope.settings.ROOT_SECRET, { id: escalation.id, sent_at: scope.now }),
  };
}

/** Those that are open, the escalation's own first. */
function subjectsOf({ own, bundled }: LoadedEscalation): readonly [LoadedSubject, ...LoadedSubject[]] {
  const [first = own, ...others] = [own, ...bundled].filter(({ is_over }) => !is_over);
  return [first, ...others];
}

/** `userId` is the account that the message is for, if it is for one. */
function linksOf(
  { settings, now }: Scope,
  { own, escalation }: LoadedEscalation,
  userId: string | null,
): AlertMessage["links"] {
  const base = settings.PUBLIC_URL;
  if (base === "") return [];
  const token = acknowledgeToken(settings.ROOT_SECRET, { id: escalation.id, sent_at: now, user_id: userId });
  return [
    { label: ACKNOWLEDGE, url: `${base}/acknowledge/${token}` },
    ...(own.monitor_id === null || own.evident_since === null
      ? []
      : [{ label: EVIDENCE, url: `${base}${evidencePath(own.monitor_id, own.evident_since)}` }]),
    ...(own.shown_incident_id === null
      ? []
      : [{ label: OPEN_INCIDENT, url: `${base}/app/incidents/${own.shown_incident_id}` }]),
    ...(own.incident_id === null && own.monitor_id !== null
      ? [{ label: "Open monitor", url: `${base}/app/monitors/${own.monitor_id}` }]
      : []),
  ];
}

function maskValue(value: string): string {
  return /^https?:\/\//i.test(value) ? maskUrl(value) : value;
}
