import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import worker from "../../src/worker.ts";

/** The log line of a message that no consumer can read shows which of them got it. */
async function consumerOf(queue: string): Promise<string> {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  const message = { id: "1", timestamp: new Date(), attempts: 1, body: "nonsense", ack() {}, retry() {} };
  // Consumers use no other member of a batch.
  const batch = { queue, messages: [message] } as unknown as MessageBatch;
  const settings = { LOG_LEVEL: "error" };
  await worker.queue(batch, { ...env, ...settings }, createExecutionContext());
  const lines = logged.mock.calls.flat().map(String);
  logged.mockRestore();
  return lines.some((line) => line.includes("dead letter")) ? "dead letters" : "consumer";
}

it.each([
  ["checks", "consumer"],
  ["vigil-checks", "consumer"],
  ["my-staging-checks-slow", "consumer"],
  ["vigil-deliveries", "consumer"],
  ["vigil-deliveries-slow", "consumer"],
  ["vigil-subscribers", "consumer"],
  ["vigil-checks-dlq", "dead letters"],
  ["checks-slow-dlq", "dead letters"],
])("a message of the queue %s goes to its %s, in any deployment", async (queue, consumer) => {
  expect(await consumerOf(queue)).toBe(consumer);
});
