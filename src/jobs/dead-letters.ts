import { jobScope } from "../access/scope.ts";
import { findQueue } from "../contract/queues.ts";
import type { Env } from "../platform/env.ts";
import { recordDeadLetters } from "../sweeps/queue-health.ts";

/**
 * Messages that failed every time. Nothing is lost with them but results that no history object would store, and firings of
 * rules beyond those of an event's first turn: slots, events and deliveries are rows or kept by an object, and the sweeps
 * enqueue them again. They are logged and counted, because they show a fault of the service.
 */
export async function handleDeadLetters(batch: MessageBatch, env: Env): Promise<void> {
  const scope = jobScope(env, "dead letters");
  const queue = findQueue(batch.queue);
  if (queue) await recordDeadLetters(scope, queue, batch.messages.length);
  for (const message of batch.messages) {
    scope.log.error("dead letter", "gave up after the last attempt", { queue: batch.queue, message_id: message.id });
    message.ack();
  }
}
