import { requireOperator, type UserPrincipal } from "../../access/principal.ts";
import type { RequestScope, Scope } from "../../access/scope.ts";
import { forbidden, notFound } from "../../contract/errors.ts";
import { type Mail, MailText } from "../../contract/mail.ts";
import { listStayedMail, type MailRecord } from "../../data/mail/read.ts";
import { listAddressesOfAccounts } from "../../data/users/read.ts";
import { isOnlyHere } from "../../platform/env.ts";
import { unseal } from "../../platform/seal.ts";
import { sendsMail } from "../../platform/sends-mail.ts";

const SHOWN_MAX = 50;

export interface StayedMail extends Pick<MailRecord, "id" | "created_at"> {
  to: string;
  subject: string;
  /** Null where it is for another account alone, which its links would open. */
  text: string | null;
}

/** Whether mail stays in the outbox and its operator may look there: where nothing but this machine reaches the service. */
export function isOutboxShown({ env, settings }: Pick<Scope, "env" | "settings">): boolean {
  return isOnlyHere(env) && !sendsMail(env, settings);
}

/** The newest mail, for the operator who would otherwise read it by a command on the same machine. */
export async function listOutbox(ctx: RequestScope): Promise<StayedMail[]> {
  if (!isOutboxShown(ctx)) throw notFound("view");
  const reader = requireOperator(ctx);
  // A token reads no credentials of its own account, which links in mail are.
  if (reader.session_id === null) throw forbidden("the outbox is read in a browser that is signed in");
  const rows = await listStayedMail(ctx.db, SHOWN_MAX);
  const mails = await Promise.all(rows.map(async (row) => ({ row, mail: await open(ctx, row) })));
  const readable = mails.flatMap(({ row, mail }) => (mail ? [{ ...row, ...mail, to: mail.to.toLowerCase() }] : []));
  const ofOthers = await addressesOfOthers(ctx, reader, readable);
  return readable.map(({ id, created_at, to, subject, text }) => {
    return { id, created_at, to, subject, text: ofOthers.has(to) ? null : text };
  });
}

async function addressesOfOthers(ctx: RequestScope, reader: UserPrincipal, mails: readonly { to: string }[]) {
  const addresses = new Set(mails.map(({ to }) => to));
  addresses.delete(reader.email);
  return new Set(await listAddressesOfAccounts(ctx.db, [...addresses]));
}

/** Null where it was written under another root secret. */
async function open({ settings, log }: RequestScope, { id, sealed }: MailRecord): Promise<Mail | null> {
  try {
    return MailText.parse(await unseal(settings.ROOT_SECRET, id, sealed ?? ""));
  } catch (error) {
    log.error("mail cannot be read", error, { mail_id: id });
    return null;
  }
}
