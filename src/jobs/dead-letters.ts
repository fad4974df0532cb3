import { jobScope } from "../access/scope.ts";
import type { Env } from "../platform/env.ts";

/**
 * The end of messages that failed every time. Nothing is lost with them: slots, events and deliveries are rows or kept
 * by an object, and the sweeps bring them back; the log says that something needs a person.
 */
export async function handleDeadLetters(batch: MessageBatch, env: Env): Promise<void> {
  const scope = jobScope(env, "dead letters");
  for (const message of batch.messages) {
    scope.log.error("dead letter", "gave up after the last attempt", { queue: batch.queue, message_id: message.id });
    message.ack();
  }
}
