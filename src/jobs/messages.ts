import type { z } from "zod";
import type { Scope } from "../access/scope.ts";
import { mapConcurrently } from "../lib/map-concurrently.ts";

const RETRY_BASE_S = 5;
const RETRY_MAX_S = 300;

/**
 * Handles every message of a batch by itself: done is acknowledged, failed comes back later, and what can never succeed
 * is logged and dropped, so that it delays no other. All messages of a batch run at once: wrangler.toml keeps batches as small as
 * the connections that one invocation may have.
 */
export async function handleMessages<Schema extends z.ZodType>(
  scope: Scope,
  batch: MessageBatch,
  schema: Schema,
  handle: (message: z.infer<Schema>) => Promise<void>,
): Promise<void> {
  await mapConcurrently(batch.messages, batch.messages.length, async (message) => {
    const parsed = schema.safeParse(message.body);
    if (!parsed.success) {
      scope.log.error("poison message", parsed.error, { queue: batch.queue, message_id: message.id });
      message.ack();
      return;
    }
    try {
      await handle(parsed.data);
      message.ack();
    } catch (error) {
      scope.log.error("message failed", error, { queue: batch.queue, attempts: message.attempts });
      message.retry({ delaySeconds: Math.min(RETRY_MAX_S, RETRY_BASE_S * 2 ** (message.attempts - 1)) });
    }
  });
}
