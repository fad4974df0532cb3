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
  handle: (message: z.infer<Schema>, isRepeated: boolean) => Promise<void>,
): Promise<void> {
  const { work, others } = sortBatch(scope, batch, schema);
  const handled = mapConcurrently(work, work.length, ({ message, body }) =>
    settleMessages(scope, batch.queue, [message], () => handle(body, message.attempts > 1)),
  );
  await Promise.all([handled, others]);
}

/** The same for messages that are handled together: when that fails, all of them are retried. */
export async function handleTogether<Schema extends z.ZodType>(
  scope: Scope,
  batch: MessageBatch,
  schema: Schema,
  handle: (messages: z.infer<Schema>[]) => Promise<void>,
): Promise<void> {
  const { work, others } = sortBatch(scope, batch, schema);
  const messages = work.map(({ message }) => message);
  const handled = settleMessages(scope, batch.queue, messages, () => handle(work.map(({ body }) => body)));
  await Promise.all([handled, others]);
}

/** What is work among the messages. Markers and messages that cannot be parsed are settled by `others`. */
function sortBatch<Schema extends z.ZodType>(scope: Scope, batch: MessageBatch, schema: Schema) {
  const queue = findQueue(batch.queue);
  const work: { message: Message; body: z.infer<Schema> }[] = [];
  const others: Promise<void>[] = [];
  const settleAlone = (message: Message, settle: () => Promise<void>) =>
    others.push(settleMessages(scope, batch.queue, [message], settle));
  for (const message of batch.messages) {
    const marker = QueueMarker.safeParse(message.body);
    const parsed = schema.safeParse(message.body);
    if (queue && marker.success) settleAlone(message, () => receiveMarker(scope, queue, marker.data));
    else if (parsed.success) work.push({ message, body: parsed.data });
    else {
      settleAlone(message, async () => {
        scope.log.error("poison message", parsed.error, { queue: batch.queue, message_id: message.id });
        if (queue) await recordDeadLetters(scope, queue, 1);
      });
    }
  }
  return { work, others: Promise.all(others) };
}

async function settleMessages(scope: Scope, queue: string, messages: readonly Message[], work: () => Promise<void>) {
  try {
    await work();
    for (const message of messages) message.ack();
  } catch (error) {
    scope.log.error("message failed", error, { queue, attempts: messages[0]?.attempts });
    for (const message of messages) {
      message.retry({ delaySeconds: Math.min(RETRY_MAX_S, RETRY_BASE_S * 2 ** (message.attempts - 1)) });
    }
  }
}
