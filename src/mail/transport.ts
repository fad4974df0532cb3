import type { Mail, MailOutcome } from "../contract/mail.ts";
import { domainOf, type Mailbox, parseMailbox, withAsciiDomain } from "../lib/mailbox.ts";
import type { SmtpServer } from "../lib/smtp-url.ts";
import { endsWithin } from "../lib/with-deadline.ts";
import { egressTo } from "../platform/egress/guard.ts";
import type { Env } from "../platform/env.ts";
import { edgeIo } from "../platform/probe-io.ts";
import { sendsMail } from "../platform/sends-mail.ts";
import type { Settings } from "../platform/settings.ts";
import { composeLetter } from "./mime.ts";
import { SmtpConnection } from "./smtp.ts";

/** A message of the outbox. A repeat carries the same id, where the transport has a field for it. */
export interface OutgoingMail extends Mail {
  id: string;
  created_at: number;
}

/** An open mail transport; the caller closes it. */
export interface Mailer {
  /** Never throws. */
  send(mail: OutgoingMail): Promise<MailOutcome>;
  close(): Promise<void>;
}

/** Answers of an HTTP service that say nothing about the message, although the client is said to be wrong. */
const BUSY = [408, 425, 429];
const ADDRESS = /[^\s<>"',;:()]+@[^\s<>"',;:()]+/g;

/**
 * The operator's mail server, else the platform's e-mail binding, else an HTTP service that takes JSON. Null where none
 * is configured: mail then stays readable in the outbox.
 */
export function openMailer(env: Env, settings: Settings): Mailer | null {
  const from = parseMailbox(settings.MAIL_FROM);
  const { MAIL: binding } = env;
  if (!from || !sendsMail(env, settings)) return null;
  if (settings.SMTP_URL) return smtpMailer(settings, settings.SMTP_URL, from);
  if (binding) return { send: (mail) => sendByBinding(settings, binding, from, mail), close: async () => {} };
  return { send: (mail) => sendByHttp(settings, mail), close: async () => {} };
}

/** The operator named the server, no tenant can: it may be private without being in EGRESS_ALLOW. */
function smtpMailer(settings: Settings, server: SmtpServer, mailbox: Mailbox): Mailer {
  const from = { ...mailbox, address: withAsciiDomain(mailbox.address) };
  const { connect } = edgeIo(egressTo(settings, server.host));
  const options = { server, own_name: domainOf(from.address), timeout_ms: settings.MAIL_TIMEOUT_MS };
  const connection = new SmtpConnection(connect, options);
  return {
    send(mail) {
      const to = withAsciiDomain(mail.to);
      return connection.send({ from: from.address, to, content: composeLetter({ ...mail, from, to }) });
    },
    close: () => connection.close(),
  };
}

async function sendByBinding(
  { MAIL_TIMEOUT_MS }: Settings,
  binding: NonNullable<Env["MAIL"]>,
  { name, address }: Mailbox,
  { id: _, created_at: __, ...mail }: OutgoingMail,
): Promise<MailOutcome> {
  try {
    const sending = binding.send({ from: name === "" ? address : { email: address, name }, ...mail });
    if (await endsWithin(sending, MAIL_TIMEOUT_MS)) return { kind: "sent" };
    return { kind: "unavailable", error: `the mail binding did not answer within ${MAIL_TIMEOUT_MS} ms` };
  } catch (error) {
    // Its words may repeat addresses, and end up in the log.
    return { kind: "failed", error: String(error).replace(ADDRESS, "…"), is_final: false };
  }
}

async function sendByHttp(
  { MAIL_FROM: from, MAIL_HTTP_URL, MAIL_HTTP_TOKEN, MAIL_TIMEOUT_MS }: Settings,
  { id, created_at: _, ...mail }: OutgoingMail,
): Promise<MailOutcome> {
  try {
    const response = await fetch(MAIL_HTTP_URL, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Authorization: `Bearer ${MAIL_HTTP_TOKEN}`,
        "Idempotency-Key": id,
      },
      body: JSON.stringify({ from, ...mail }),
      redirect: "manual",
      signal: AbortSignal.timeout(MAIL_TIMEOUT_MS),
    });
    await response.body?.cancel();
    if (response.ok) return { kind: "sent" };
    const error = `the mail service answered ${response.status}`;
    const isFinal = response.status >= 400 && response.status < 500 && !BUSY.includes(response.status);
    return { kind: "failed", error, is_final: isFinal };
  } catch (error) {
    return { kind: "unavailable", error: String(error) };
  }
}
