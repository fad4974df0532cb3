import type { RequestScope, Scope } from "../access/scope.ts";
import { type MailOutcome, MailText } from "../contract/mail.ts";
import { runBatch } from "../data/db.ts";
import { listDueMail, type MailRecord } from "../data/mail/read.ts";
import { claimMail, deleteMailBefore, settleMail } from "../data/mail/write.ts";
import { DAY_MS } from "../lib/durations.ts";
import { oneLine } from "../lib/one-line.ts";
import { type Mail, type Mailer, openMailer } from "../mail/transport.ts";
import { now } from "../platform/clock.ts";
import { newId } from "../platform/ids.ts";
import { seal, unseal } from "../platform/seal.ts";

/** On top of the time for sending: for reading the message and recording what became of it. */
const LEASE_SLACK_MS = 30_000;
const SENT_PER_MINUTE = 300;
const KEPT_MS = 30 * DAY_MS;

/**
 * The row that makes a message leave: it belongs into the batch that makes true what the message says. `sendSoon` after
 * that, or the minute's sweep.
 */
export async function sealMail(
  { settings, now }: Pick<Scope, "settings" | "now">,
  mail: Mail,
  id = newId(now),
): Promise<MailRecord> {
  // Names that people chose are in the subject; a line break there would begin a header.
  const subject = oneLine(mail.subject);
  const sealed = await seal(settings.ROOT_SECRET, id, { ...mail, subject });
  const times = { created_at: now, updated_at: now, next_attempt_at: now };
  return { id, sealed, state: "pending", attempt: 0, error: null, ...times };
}

/** Sends a message, whose row is committed, after the answer to whoever caused it. */
export function sendAfterResponse(ctx: RequestScope, mail: MailRecord): void {
  ctx.defer(dispatchMail(ctx, [mail]).catch((error: unknown) => ctx.log.error("mail", error, { mail_id: mail.id })));
}

/**
 * Sends what is due, or leaves it to be read where nothing sends. A crash between sending and recording sends a message
 * again, rather than never.
 */
export async function sweepMail(scope: Scope): Promise<void> {
  await dispatchMail(scope, await listDueMail(scope.db, scope.now, SENT_PER_MINUTE));
}

/**
 * Sends these at once, after their rows are committed: one after the other over one connection, past those that somebody
 * else is sending. When the way out fails, it costs one message an attempt, and not all.
 */
export async function dispatchMail(scope: Scope, mails: readonly MailRecord[]): Promise<void> {
  const mailer = mails.length === 0 ? null : openMailer(scope.env, scope.settings);
  if (!mailer) return;
  try {
    for (const mail of mails) {
      const leaseUntil = now() + scope.settings.MAIL_TIMEOUT_MS + LEASE_SLACK_MS;
      if (!(await claimMail(scope.db, mail, leaseUntil))) continue;
      const { kind } = await attempt(scope, mailer, mail);
      if (kind === "unavailable") return;
    }
  } finally {
    await mailer.close();
  }
}

/** Forgets messages that nobody needs any more. */
export async function deleteOldMail(scope: Scope): Promise<void> {
  await runBatch(scope.db, [deleteMailBefore(scope.db, scope.now - KEPT_MS)]);
}

async function attempt(scope: Scope, mailer: Mailer, mail: MailRecord): Promise<MailOutcome> {
  const text = await open(scope, mail);
  const outcome = text ? await mailer.send({ ...text, id: mail.id, created_at: mail.created_at }) : UNREADABLE;
  const settlement = settle(scope, mail, outcome);
  await runBatch(scope.db, [settleMail(scope.db, mail.id, { ...settlement, updated_at: now() })]);
  if (outcome.kind !== "sent") {
    scope.log.warn("mail", { mail_id: mail.id, attempt: mail.attempt + 1, error: outcome.error });
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

function settle({ settings }: Scope, mail: MailRecord, outcome: MailOutcome) {
  if (outcome.kind === "sent") return { state: "sent" as const, sealed: null, error: null };
  const delay = settings.DELIVERY_RETRY_MS[mail.attempt];
  const isOver = delay === undefined || (outcome.kind === "failed" && outcome.is_final);
  const { error } = outcome;
  return isOver ? { state: "failed" as const, error } : { next_attempt_at: now() + delay, error };
}
