import type { Scope } from "../access/scope.ts";
import type { Mail } from "../contract/mail.ts";
import type { MailRecord } from "../data/mail/read.ts";
import { WAKE_GRACE_MS } from "../data/outbox/rows.ts";
import { oneLine } from "../lib/one-line.ts";
import { renderLetter } from "../mail/letter-html.ts";
import { newId } from "../platform/ids.ts";
import { seal } from "../platform/seal.ts";

/** The row of a message; `action` names the button of its one address. It belongs in the batch that stores what the message is about; `delivery/mail.ts` sends it. */
export async function sealMail(
  { settings, now }: Pick<Scope, "settings" | "now">,
  { action, ...mail }: Mail & { action?: string },
  id = newId(now),
): Promise<MailRecord> {
  // The subject holds names that users chose; a line break there would begin a header.
  const subject = oneLine(mail.subject);
  const html = mail.html ?? renderLetter({ subject, text: mail.text, action });
  const sealed = await seal(settings.ROOT_SECRET, id, { ...mail, subject, html });
  const times = { created_at: now, updated_at: now, next_attempt_at: now, wake_at: now + WAKE_GRACE_MS };
  return { id, sealed, state: "pending", attempt: 0, lease_until: 0, error: null, ...times };
}
