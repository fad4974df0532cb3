import { jobScope } from "../access/scope.ts";
import { SubscriberBatchMessage } from "../contract/messages.ts";
import { sendSubscriberBatch } from "../delivery/subscriber-messages.ts";
import type { Env } from "../platform/env.ts";
import { handleMessages } from "./messages.ts";

export async function handleSubscribers(batch: MessageBatch, env: Env): Promise<void> {
  const scope = jobScope(env, "subscribers");
  await handleMessages(scope, batch, SubscriberBatchMessage, (message) => sendSubscriberBatch(scope, message));
}
