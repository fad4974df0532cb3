import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";

/** Wrangler's type has lost what its options are. */
interface Consumer {
  queue: string;
  max_batch_size: number;
  max_batch_timeout: number;
  dead_letter_queue?: string;
}

const { queues }: { queues: { producers: { queue: string }[]; consumers: Consumer[] } } = unstable_readConfig({
  config: join(import.meta.dirname, "../../wrangler.toml"),
});
const consumerOf = (queue: string) => queues.consumers.find((consumer) => consumer.queue === queue);

describe("the queues of wrangler.toml", () => {
  it.each([
    "checks",
    "checks-slow",
    "subscribers",
    "minute",
    "mail",
  ])("give each message of %s an invocation of its own, so that it waits for no message that hangs", (queue) => {
    expect(consumerOf(queue)).toMatchObject({ max_batch_size: 1, max_batch_timeout: 0 });
  });

  it("hold no more messages in a batch than an invocation has connections, and wait for no batch to fill", () => {
    for (const { queue } of queues.producers) {
      expect(consumerOf(queue)?.max_batch_size, queue).toBeLessThanOrEqual(6);
      expect(consumerOf(queue)?.max_batch_timeout, queue).toBe(0);
    }
  });

  it("each have a dead-letter queue with a consumer", () => {
    for (const { queue } of queues.producers) {
      expect(consumerOf(consumerOf(queue)?.dead_letter_queue ?? ""), queue).toBeDefined();
    }
  });
});
