import { jobScope } from "../access/scope.ts";
import { MailMessage } from "../contract/messages.ts";
import { sendMailBatch } from "../delivery/mail.ts";
import type { Env } from "../platform/env.ts";
import { handleMessages } from "./messages.ts";

export async function handleMail(batch: MessageBatch, env: Env): Promise<void> {
  const scope = jobScope(env, "mail");
  await handleMessages(scope, batch, MailMessage, (message) => sendMailBatch(scope, message));
}
