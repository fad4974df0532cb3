import { parseMailbox } from "../lib/mailbox.ts";
import type { Env } from "./env.ts";
import type { Settings } from "./settings.ts";

/** Whether anything is configured that sends mail; without it, mail stays in the outbox. */
export function sendsMail(env: Env, { MAIL_FROM, SMTP_URL, MAIL_HTTP_URL }: Settings): boolean {
  return parseMailbox(MAIL_FROM) !== null && Boolean(SMTP_URL || env.MAIL || MAIL_HTTP_URL);
}
