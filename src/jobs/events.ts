import { jobScope, shareScope } from "../access/scope.ts";
import { EventMessage } from "../contract/messages.ts";
import { consumeEvent } from "../events/consume.ts";
import type { Env } from "../platform/env.ts";
import { handleMessages } from "./messages.ts";

/**
 * Messages of one batch read and commit together, and equal ones are handled once; one that failed before is handled
 * alone, whatever it failed of.
 */
export async function handleEvents(batch: MessageBatch, env: Env): Promise<void> {
  const own = jobScope(env, "events");
  const shared = batch.messages.length > 1 ? shareScope(own) : own;
  const handled = new Map<string, Promise<void>>();
  await handleMessages(own, batch, EventMessage, (message, isRepeated) => {
    if (isRepeated) return consumeEvent(own, message);
    const key = JSON.stringify(message);
    const handling = handled.get(key) ?? consumeEvent(shared, message);
    handled.set(key, handling);
    return handling;
  });
}
