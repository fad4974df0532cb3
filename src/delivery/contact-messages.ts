import { z } from "zod";
import type { Scope } from "../access/scope.ts";
import { CONTACT_MESSAGES_PER_MESSAGE, type EventMessage } from "../contract/messages.ts";
import { runBatch } from "../data/db.ts";
import {
  type ContactMessageRecord,
  findContactById,
  listContactMessagesToWake,
  type NotifyContactRecord,
} from "../data/notify-contacts/read.ts";
import { claimContactMessage, settleContactMessage } from "../data/notify-contacts/write.ts";
import { WAKE_GRACE_MS } from "../data/outbox/rows.ts";
import type { AlertMessage } from "../domain/alert-messages.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../lib/durations.ts";
import { mapConcurrently } from "../lib/map-concurrently.ts";
import { formatBrowserAlert } from "../notifiers/browser-alert.ts";
import { sweepPages, wake } from "../outbox/publication.ts";
import { idFrom } from "../platform/ids.ts";
import { seal, unseal } from "../platform/seal.ts";
import { pushToBrowser } from "./browser-push.ts";
import { decideOutcome, type SendResult } from "./outcome.ts";

/** Alerts to the team that leave for the browsers and phones of its people, as their mail does. */
const LEASE_MS = 30 * SECOND_MS;
/** Beyond this an alert is no news. */
const RETRIES_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS];
/** Sockets that one invocation may have open. */
const AT_ONCE = 6;

const StoredAlert = z.object({
  kind: z.literal("alert"),
  title: z.string(),
  body: z.string(),
  tag: z.string(),
  is_urgent: z.boolean(),
  sent_at: z.number(),
  open: z.string(),
  acknowledge: z.string().optional(),
  evidence: z.string().optional(),
});

/** The row of an alert to one browser; it belongs in the batch that releases the alert. */
export async function sealContactMessage(
  { settings, now }: Scope,
  { event_id, contact, message }: { event_id: string; contact: NotifyContactRecord; message: AlertMessage },
): Promise<ContactMessageRecord> {
  const id = idFrom("contact message", event_id, contact.id);
  return {
    id,
    contact_id: contact.id,
    sealed: await seal(settings.ROOT_SECRET, id, formatBrowserAlert(message, now)),
    state: "pending",
    next_attempt_at: now,
    attempt: 0,
    lease_until: 0,
    wake_at: now + WAKE_GRACE_MS,
    error: null,
    created_at: now,
    updated_at: now,
  };
}

/** Every minute: wakes what no message woke, and what failed before. */
export async function sweepContactMessages(scope: Scope): Promise<void> {
  await sweepPages(async (limit) => {
    const ids = await listContactMessagesToWake(scope.db, scope.now, limit);
    await wakeContactMessages(scope, ids);
    return ids.length;
  });
}

export async function wakeContactMessages(scope: Pick<Scope, "env" | "log">, ids: readonly string[]): Promise<void> {
  const messages: EventMessage[] = [];
  for (let from = 0; from < ids.length; from += CONTACT_MESSAGES_PER_MESSAGE) {
    const some = ids.slice(from, from + CONTACT_MESSAGES_PER_MESSAGE);
    messages.push({ kind: "contact_messages", contact_message_ids: some });
  }
  await wake(scope, { queue: scope.env.EVENTS, messages, what: "contact message" });
}

/** Sends these, as far as they are due and nobody else does. */
export async function sendContactMessages(scope: Scope, ids: readonly string[]): Promise<void> {
  await mapConcurrently(ids, AT_ONCE, async (id) => {
    try {
      await sendContactMessage(scope, id);
    } catch (error) {
      scope.log.error("contact message", error, { contact_message_id: id });
    }
  });
}

async function sendContactMessage(scope: Scope, id: string): Promise<void> {
  const { db, now } = scope;
  const claimed = await claimContactMessage(db, id, { now, lease_until: now + LEASE_MS });
  const contact = claimed && (await findContactById(db, claimed.contact_id));
  if (!claimed || !contact) return;
  const reply = await attempt(scope, claimed, contact);
  const { attempt: count } = claimed;
  const outcome = decideOutcome(reply, { delivery_id: id, attempt: count, delays_ms: RETRIES_MS, ended_at: now });
  const { next_attempt_at, error } = outcome;
  const settlement =
    outcome.state === "delivered"
      ? { state: "sent" as const, sealed: "", error: null }
      : next_attempt_at === null
        ? { state: "failed" as const, error }
        : { next_attempt_at, error };
  await runBatch(db, [settleContactMessage(db, claimed, { ...settlement, updated_at: now })]);
}

async function attempt(
  scope: Scope,
  { id, sealed }: ContactMessageRecord,
  contact: NotifyContactRecord,
): Promise<SendResult> {
  const alert = StoredAlert.safeParse(await unseal(scope.settings.ROOT_SECRET, id, sealed).catch(() => null));
  if (!alert.success) return { kind: "unanswered", is_final: true, error: "the message cannot be read" };
  return pushToBrowser(scope, contact, alert.data);
}
