import { jobScope } from "../access/scope.ts";
import { HistoryMessage } from "../contract/messages.ts";
import { findQueue } from "../contract/queues.ts";
import { DAY_MS } from "../lib/durations.ts";
import type { Env } from "../platform/env.ts";
import { recordDeadLetters } from "../sweeps/queue-health.ts";

const HISTORY_AGAIN_AFTER_S = 600;

/**
 * Messages that failed every time. Nothing is lost with them but results that no history object would store for a day:
 * slots, events, rules that wait on them and deliveries are rows or kept by an object, and the sweeps enqueue them again.
 * They are logged and counted, because they show a fault of the service.
 */
export async function handleDeadLetters(batch: MessageBatch, env: Env): Promise<void> {
  const scope = jobScope(env, "dead letters");
  const queue = findQueue(batch.queue);
  if (queue) await recordDeadLetters(scope, queue, batch.messages.length);
  for (const message of batch.messages) {
    scope.log.error("dead letter", "gave up after the last attempt", { queue: batch.queue, message_id: message.id });
    const history = HistoryMessage.safeParse(message.body);
    if (history.success && scope.now - history.data.block.slot_at < DAY_MS) {
      await env.CHECKS.send({ kind: "results", ...history.data }, { delaySeconds: HISTORY_AGAIN_AFTER_S });
    }
    message.ack();
  }
}
