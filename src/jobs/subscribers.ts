import { jobDeps } from "../access/deps.ts";
import { SubscriberMessage } from "../contract/messages.ts";
import { tellSome } from "../delivery/subscribers.ts";
import type { Env } from "../platform/env.ts";
import { handleMessages } from "./messages.ts";

export async function handleSubscribers(batch: MessageBatch, env: Env): Promise<void> {
  const deps = jobDeps(env, "subscribers");
  await handleMessages(deps, batch, SubscriberMessage, (message) => tellSome(deps, message));
}
