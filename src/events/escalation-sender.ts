import { z } from "zod";
import type { Scope } from "../access/scope.ts";
import { CONTACT_TYPES, type ContactType } from "../contract/on-call.ts";
import type { WebhookProvider } from "../contract/webhook.ts";
import { runBatch } from "../data/db.ts";
import {
  type EscalationNotificationRecord,
  listNotificationsToWake,
  loadEscalation,
} from "../data/escalations/read.ts";
import {
  claimEscalationNotification,
  settleEscalationNotification,
  touchEscalation,
} from "../data/escalations/write.ts";
import { insertMail } from "../data/mail/write.ts";
import { findWebhook } from "../data/webhooks/read.ts";
import { chatServicesOf } from "../delivery/prepare.ts";
import { send } from "../delivery/sender.ts";
import { openConfig } from "../delivery/webhook-config.ts";
import { MINUTE_MS, SECOND_MS } from "../lib/durations.ts";
import { mapConcurrently } from "../lib/map-concurrently.ts";
import { formatAlertMail } from "../notifiers/mail-text.ts";
import type { NotifierInput, WebhookTarget } from "../notifiers/port.ts";
import { notifierOf } from "../notifiers/registry.ts";
import { dispatchMail, sealMail } from "../outbox/mail.ts";
import { sweepPages } from "../outbox/publication.ts";
import { idFrom } from "../platform/ids.ts";
import { unseal } from "../platform/seal.ts";
import { incidentEvent } from "./emit.ts";

/** Sockets that one invocation may have open. */
const AT_ONCE = 6;
const LEASE_MS = 30 * SECOND_MS;
/** After a failure the next step is notified at once; these repeats are for the case that it is reached later after all. */
const RETRIES_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS];

const AlertMessageSchema = z.object({
  tone: z.enum(["down", "warning", "good", "info"]),
  title: z.string(),
  text: z.string(),
  facts: z.array(z.object({ label: z.string(), value: z.string() })),
  links: z.array(z.object({ label: z.string(), url: z.string() })),
  thread: z.object({ id: z.string(), state: z.string() }),
  is_resolved: z.boolean(),
});
const Sealed = z.object({
  type: z.enum(CONTACT_TYPES),
  value: z.string(),
  message: AlertMessageSchema,
  reason: z.string(),
});
type Opened = z.infer<typeof Sealed>;

/** Sends these notifications, as far as they are due and nobody else does. Returns whether the first attempt of one failed. */
export async function sendNotifications(scope: Scope, ids: readonly string[]): Promise<boolean> {
  const failures = await mapConcurrently(ids, AT_ONCE, async (id) => {
    try {
      return await sendNotification(scope, id);
    } catch (error) {
      scope.log.error("on-call notification", error, { notification_id: id });
      return false;
    }
  });
  return failures.includes(true);
}

/** Every minute: attempts what no message woke, and what failed before. */
export async function sweepNotifications(scope: Scope): Promise<void> {
  await sweepPages(async (limit) => {
    const ids = await listNotificationsToWake(scope.db, scope.now, limit);
    await sendNotifications(scope, ids);
    return ids.length;
  });
}

async function sendNotification(scope: Scope, id: string): Promise<boolean> {
  const claimed = await claimEscalationNotification(scope.db, id, {
    now: scope.now,
    lease_until: scope.now + LEASE_MS,
  });
  if (!claimed) return false;
  const error = await attempt(scope, claimed);
  const delay = error === null ? undefined : RETRIES_MS[claimed.attempt - 1];
  const { escalation_id } = claimed;
  const isFirstFailure = error !== null && claimed.attempt === 1;
  const loaded = isFirstFailure ? await loadEscalation(scope.db, escalation_id) : undefined;
  await runBatch(scope.db, [
    settleEscalationNotification(scope.db, claimed, {
      ...(delay === undefined
        ? { state: error === null ? ("sent" as const) : ("failed" as const), next_attempt_at: null }
        : { next_attempt_at: scope.now + delay }),
      ...{ error, updated_at: scope.now },
    }),
    // The escalation decides what follows from the failure, also when the message that wakes it is lost.
    ...(loaded ? [touchEscalation(scope.db, loaded.incident.id, scope.now)] : []),
  ]);
  return isFirstFailure;
}

/** Null when the notification was accepted; otherwise the reason. */
async function attempt(scope: Scope, claimed: EscalationNotificationRecord): Promise<string | null> {
  const opened = Sealed.safeParse(
    await unseal(scope.settings.ROOT_SECRET, claimed.id, claimed.sealed).catch(() => null),
  );
  if (!opened.success) return "the stored contact cannot be read";
  if (opened.data.type === "email") return mailTo(scope, claimed, opened.data);
  const loaded = await loadEscalation(scope.db, claimed.escalation_id);
  const receiver = await findReceiver(scope, opened.data);
  if (!receiver || !loaded) return "the webhook of the contact no longer exists";
  const { incident } = loaded;
  const event = incidentEvent(incident, {
    ...{ id: idFrom("event", claimed.id), name: "incident.created", message: opened.data.message.title },
    ...{ notify_subscribers: false, now: incident.created_at },
  });
  const input: NotifierInput = {
    ...{ delivery_id: claimed.id, event, event_name: event.name, message: opened.data.message, sent_at: scope.now },
    services: chatServicesOf(scope.settings),
  };
  const notifier = notifierOf(receiver.provider);
  const flaw = notifier.validate(receiver.target, input.services);
  if (flaw !== null) return flaw;
  const request = notifier.build(input, receiver.target);
  if (request === null) return "the provider of the contact has no message for an incident";
  if (request.kind === "mail") return mailTo(scope, claimed, { ...opened.data, value: request.to });
  const reply = await send(scope.settings, request);
  if (reply.kind === "unanswered") return reply.error;
  if (reply.kind !== "answered" || (reply.status >= 200 && reply.status < 300)) return null;
  return `HTTP ${reply.status}`;
}

async function mailTo(scope: Scope, { id }: EscalationNotificationRecord, opened: Opened): Promise<string | null> {
  const { subject, text, html, headers } = formatAlertMail(opened.message, {
    ...{ reason: `This address is an on-call contact of ${opened.reason}.`, footer: [] },
  });
  const mail = await sealMail(scope, { to: opened.value, subject, text, html, headers }, idFrom("escalation mail", id));
  await runBatch(scope.db, [insertMail(scope.db, mail)]);
  await dispatchMail(scope, [mail]);
  return null;
}

interface Receiver {
  provider: WebhookProvider;
  target: WebhookTarget;
}

const PROVIDERS: Record<Exclude<ContactType, "email" | "user" | "schedule">, WebhookProvider> = {
  webhook: "generic",
  slack: "slack",
  discord: "discord",
  telegram: "telegram_bot",
};

/** The address of a contact, or the webhook that it names. */
async function findReceiver(scope: Scope, { type, value }: Opened): Promise<Receiver | null> {
  if (type === "email" || type === "user" || type === "schedule") return null;
  const target = { url: value, secret: null, previous_secret: null, channel: null };
  if (/^https?:\/\//i.test(value)) return { provider: PROVIDERS[type], target };
  if (type === "telegram") return { provider: "telegram_bot", target: { ...target, url: `telegram:chat:${value}` } };
  if (type === "discord") return { provider: "discord", target: { ...target, url: `discord:channel:${value}` } };
  const webhook = await findWebhook(scope.db, value);
  if (!webhook) return null;
  const { url, secret } = await openConfig(scope.settings, webhook);
  return { provider: webhook.provider, target: { ...target, url, secret } };
}
