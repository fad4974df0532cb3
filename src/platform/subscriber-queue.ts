import type { SubscriberBatchMessage } from "../contract/messages.ts";
import type { Env } from "./env.ts";
import type { Logger } from "./logger.ts";

/** Of at most 8 kB each: one call takes 256 kB (https://developers.cloudflare.com/queues/platform/limits/). */
const MESSAGES_PER_CALL = 25;

/** Hastens what is stored already; when the queue does not take it, the minute's sweep finds it. */
export async function wakeSubscribers(
  env: Env,
  log: Logger,
  messages: readonly SubscriberBatchMessage[],
  delayMs = 0,
): Promise<void> {
  try {
    for (let from = 0; from < messages.length; from += MESSAGES_PER_CALL) {
      const some = messages.slice(from, from + MESSAGES_PER_CALL);
      await env.SUBSCRIBERS.sendBatch(some.map((body) => ({ body, delaySeconds: Math.ceil(delayMs / 1000) })));
    }
  } catch (error) {
    log.warn("subscribers left to the sweep", { count: messages.length, cause: String(error) });
  }
}
