import type { z } from "zod";
import type { Scope } from "../access/scope.ts";
import { findQueue, QueueMarker } from "../contract/queues.ts";
import { mapConcurrently } from "../lib/map-concurrently.ts";

import { receiveMarker, recordDeadLetters } from "../sweeps/queue-health.ts";

const RETRY_BASE_S = 5;
const RETRY_MAX_S = 300;

/**
 * Handles every message of a batch by itself: a failed one is retried later, and one that cannot be parsed is logged,
 * counted and dropped, so that it delays no other message. All messages of a batch run at once: wrangler.toml keeps
 * batches as small as the connections that one invocation may have.
 */
export async function handleMessages<Schema extends z.ZodType>(
  scope: Scope,
  batch: MessageBatch,
  schema: Schema,
  handle: (message: z.infer<Schema>) => Promise<void>,
): Promise<void> {
  const queue = findQueue(batch.queue);
  await mapConcurrently(batch.messages, batch.messages.length, async (message) => {
    const marker = QueueMarker.safeParse(message.body);
    const parsed = schema.safeParse(message.body);
    try {
      if (queue && marker.success) await receiveMarker(scope, queue, marker.data);
      else if (parsed.success) await handle(parsed.data);
      else {
        scope.log.error("poison message", parsed.error, { queue: batch.queue, message_id: message.id });
        if (queue) await recordDeadLetters(scope, queue, 1);
      }
      message.ack();
    } catch (error) {
      scope.log.error("message failed", error, { queue: batch.queue, attempts: message.attempts });
      message.retry({ delaySeconds: Math.min(RETRY_MAX_S, RETRY_BASE_S * 2 ** (message.attempts - 1)) });
    }
  });
}
