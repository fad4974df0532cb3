import type { RequestScope, Scope } from "../access/scope.ts";
import { type Mail, type MailOutcome, MailText } from "../contract/mail.ts";
import { MAILS_PER_MESSAGE, type MailMessage } from "../contract/messages.ts";
import { runBatch } from "../data/db.ts";
import { recordMailFailure } from "../data/escalations/write.ts";
import { listDueMail, listMailToWake, type MailRecord } from "../data/mail/read.ts";
import { claimMail, deleteMailBefore, settleMail } from "../data/mail/write.ts";
import { deleteContactMessagesBefore } from "../data/notify-contacts/write.ts";
import { DAY_MS } from "../lib/durations.ts";
import { type Mailer, openMailer } from "../mail/transport.ts";
import { sweepPages, wake } from "../outbox/publication.ts";
import { runFrom } from "../platform/clock.ts";
import { unseal } from "../platform/seal.ts";

/** On top of the time for sending: for reading the message and recording the result. */
const LEASE_SLACK_MS = 30_000;
const KEPT_MS = 30 * DAY_MS;

/** Sends a message, whose row is committed, after the response to the request that caused it. */
export function sendAfterResponse(ctx: RequestScope, mail: MailRecord): void {
  ctx.defer(dispatchMail(ctx, [mail]).catch((error: unknown) => ctx.log.error("mail", error, { mail_id: mail.id })));
}

/** Every minute: wakes due mail that was not sent at once. Where nothing sends mail, it stays in the outbox. */
export async function sweepMail(scope: Scope): Promise<void> {
  const mailer = openMailer(scope.env, scope.settings);
  if (!mailer) return;
  await mailer.close();
  await sweepPages(async (limit) => {
    const ids = await listMailToWake(scope.db, scope.now, limit);
    await wakeMail(scope, ids);
    return ids.length;
  });
}

/** Has mail sent whose rows are committed. */
export async function wakeMail(scope: Pick<Scope, "env" | "log">, ids: readonly string[]): Promise<void> {
  const messages: MailMessage[] = [];
  for (let from = 0; from < ids.length; from += MAILS_PER_MESSAGE) {
    messages.push({ mail_ids: ids.slice(from, from + MAILS_PER_MESSAGE) });
  }
  await wake(scope, { queue: scope.env.MAIL_OUTBOX, messages, what: "mail" });
}

/** Sends the mail that one queue message names, as far as it is due. */
export async function sendMailBatch(scope: Scope, { mail_ids }: MailMessage): Promise<void> {
  await dispatchMail(scope, await listDueMail(scope.db, mail_ids, scope.now));
}

/**
 * Sends these at once, after their rows are committed: one after the other over one connection, except those that another
 * invocation has claimed. When the transport itself fails, the rest is left to the sweep. A crash between sending and
 * recording sends a message again, rather than never.
 */
export async function dispatchMail(scope: Scope, mails: readonly Pick<MailRecord, "id">[]): Promise<void> {
  const mailer = mails.length === 0 ? null : openMailer(scope.env, scope.settings);
  if (!mailer) return;
  try {
    const clock = runFrom(scope.now);
    for (const { id } of mails) {
      const now = clock();
      const lease_until = now + scope.settings.MAIL_TIMEOUT_MS + LEASE_SLACK_MS;
      const mail = await claimMail(scope.db, id, { now, lease_until });
      if (!mail) continue;
      const { kind } = await attempt({ ...scope, now }, mailer, mail);
      if (kind === "unavailable") return;
    }
  } finally {
    await mailer.close();
  }
}

/** Every minute: deletes messages past their retention, and those to browsers. */
export async function deleteOldMail(scope: Scope): Promise<void> {
  const before = scope.now - KEPT_MS;
  await runBatch(scope.db, [deleteMailBefore(scope.db, before), deleteContactMessagesBefore(scope.db, before)]);
}

async function attempt(scope: Scope, mailer: Mailer, mail: MailRecord): Promise<MailOutcome> {
  const text = await open(scope, mail);
  const outcome = text ? await mailer.send({ ...text, id: mail.id, created_at: mail.created_at }) : UNREADABLE;
  const settlement = settlementOf(scope, mail, outcome);
  const settled = settleMail(scope.db, mail, { ...settlement, updated_at: scope.now });
  if (outcome.kind === "sent") {
    await runBatch(scope.db, [settled]);
  } else {
    const failure = { error: outcome.error, is_final: "state" in settlement, now: scope.now };
    await runBatch(scope.db, [settled, ...recordMailFailure(scope.db, mail.id, failure)]);
    scope.log.warn("mail", { mail_id: mail.id, attempt: mail.attempt, error: outcome.error });
  }
  return outcome;
}

const UNREADABLE: MailOutcome = { kind: "failed", error: "the message cannot be read", is_final: true };

/** Null where the operator's root secret is not the one that it was encrypted under. */
async function open({ settings, log }: Scope, mail: MailRecord): Promise<Mail | null> {
  try {
    return MailText.parse(await unseal(settings.ROOT_SECRET, mail.id, mail.sealed ?? ""));
  } catch (error) {
    log.error("mail cannot be read", error, { mail_id: mail.id });
    return null;
  }
}

function settlementOf({ settings, now }: Scope, mail: MailRecord, outcome: MailOutcome) {
  if (outcome.kind === "sent") return { state: "sent" as const, sealed: null, error: null };
  const delay = settings.DELIVERY_RETRY_MS[mail.attempt - 1];
  const isOver = delay === undefined || (outcome.kind === "failed" && outcome.is_final);
  const { error } = outcome;
  return isOver ? { state: "failed" as const, error } : { next_attempt_at: now + delay, error };
}
