import { jobDeps } from "../access/scope.ts";
import { SubscriberMessage } from "../contract/messages.ts";
import { tellSome } from "../delivery/subscriber-messages.ts";
import type { Env } from "../platform/env.ts";
import { handleMessages } from "./messages.ts";

export async function handleSubscribers(batch: MessageBatch, env: Env): Promise<void> {
  const deps = jobDeps(env, "subscribers");
  await handleMessages(deps, batch, SubscriberMessage, (message) => tellSome(deps, message));
}
