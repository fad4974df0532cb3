import type { Scope } from "../access/scope.ts";
import type { MailRecord } from "../data/mail/read.ts";
import type { AlertMessage } from "../domain/alert-messages.ts";
import { formatAlertMail } from "../notifiers/mail-text.ts";
import { sealMail } from "../outbox/mail.ts";

interface AlertMail {
  /** Of an alert, so that it gives one mail, also when two attempts overlap. */
  id?: string;
  to: string;
  message: AlertMessage;
  /** Why the recipient receives it. */
  reason: string;
  footer?: readonly { label: string; url: string }[];
  headers?: Record<string, string>;
}

/** The row of an alert that leaves as mail. */
export function sealAlertMail(
  scope: Scope,
  { id, to, message, reason, footer = [], headers }: AlertMail,
): Promise<MailRecord> {
  const mail = formatAlertMail(message, { reason, footer });
  return sealMail(scope, { ...mail, to, headers: { ...mail.headers, ...headers } }, id);
}
