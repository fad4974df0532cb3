import type { Deps } from "../access/deps.ts";
import { MailText } from "../contract/mail.ts";
import { type Db, runBatch, type Statement } from "../data/db.ts";
import { claimMail, deleteMailBefore, insertMail, listDueMail, type MailRecord, settleMail } from "../data/mail.ts";
import { newId } from "../platform/ids.ts";
import { canSendMail, type Mail, type MailOutcome, sendMail } from "../platform/mail.ts";
import { seal, unseal } from "../platform/seal.ts";
import type { Settings } from "../platform/settings.ts";

const LEASE_MS = 60_000;
const BATCH_MAX = 50;
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * The row that makes a message leave. It belongs into the batch that makes true what the message says; a list, because
 * awaiting a bare statement would run it.
 */
export async function prepareMail(
  { db, settings, now }: { db: Db; settings: Settings; now: number },
  mail: Mail,
): Promise<Statement[]> {
  const id = newId(now);
  // Names that people chose are in the subject; a line break there would begin a header.
  const subject = mail.subject.replace(/\s+/g, " ");
  const sealed = await seal(settings.ROOT_SECRET, id, { ...mail, subject });
  const times = { created_at: now, updated_at: now, next_attempt_at: now };
  return [insertMail(db, { id, sealed, state: "pending", attempt: 0, error: null, ...times })];
}

/** Sends what is due, or leaves it to be read where nothing sends. A crash between sending and recording sends a message again, rather than never. */
export async function sweepMail(deps: Deps): Promise<void> {
  if (!canSendMail(deps.env, deps.settings)) return;
  for (const mail of await listDueMail(deps.db, deps.now(), BATCH_MAX)) {
    if (await claimMail(deps.db, mail, deps.now() + LEASE_MS)) await attempt(deps, mail);
  }
}

/** Forgets messages that nobody needs any more. */
export async function forgetOldMail(deps: Deps): Promise<void> {
  await runBatch(deps.db, [deleteMailBefore(deps.db, deps.now() - KEPT_MS)]);
}

async function attempt(deps: Deps, mail: MailRecord): Promise<void> {
  const outcome = await open(deps, mail);
  const settlement = settle(deps, mail, outcome);
  await runBatch(deps.db, [settleMail(deps.db, mail.id, { ...settlement, updated_at: deps.now() })]);
  if (outcome.kind === "failed") deps.log.warn("mail", { mail_id: mail.id, attempt: mail.attempt + 1 });
}

async function open({ env, settings, log }: Deps, mail: MailRecord): Promise<MailOutcome> {
  let text: Mail;
  try {
    text = MailText.parse(await unseal(settings.ROOT_SECRET, mail.id, mail.sealed ?? ""));
  } catch (error) {
    log.error("mail cannot be read", error, { mail_id: mail.id });
    return { kind: "failed", error: "the message cannot be read", is_final: true };
  }
  return sendMail(env, settings, text);
}

function settle({ settings, now }: Deps, mail: MailRecord, outcome: MailOutcome) {
  if (outcome.kind === "sent") return { state: "sent" as const, sealed: null, error: null };
  const delay = settings.DELIVERY_RETRY_MS[mail.attempt];
  const { error } = outcome;
  return delay === undefined || outcome.is_final
    ? { state: "failed" as const, error }
    : { next_attempt_at: now() + delay, error };
}
