import { jobScope, shareScope } from "../access/scope.ts";
import { EventMessage } from "../contract/messages.ts";
import { consumeEvent } from "../events/consume.ts";
import type { Env } from "../platform/env.ts";
import { handleMessages } from "./messages.ts";

export async function handleEvents(batch: MessageBatch, env: Env): Promise<void> {
  const own = jobScope(env, "events");
  const scope = batch.messages.length > 1 ? shareScope(own) : own;
  await handleMessages(scope, batch, EventMessage, (message) => consumeEvent(scope, message));
}
