import { withReachableNetworks } from "../access/reachable-networks.ts";
import { findQueue, type QueueName } from "../contract/queues.ts";
import type { Env } from "../platform/env.ts";
import { handleChecks } from "./checks.ts";
import { handleDeadLetters } from "./dead-letters.ts";
import { handleDeliveries } from "./deliveries.ts";
import { handleEvents } from "./events.ts";
import { handleMail } from "./mail.ts";
import { handleMinuteParts } from "./minute.ts";
import { handleSubscribers } from "./subscribers.ts";

/** `defer` keeps the invocation alive for work that outlasts its batch. */
type Consumer = (batch: MessageBatch, env: Env, defer: (work: Promise<unknown>) => void) => Promise<void>;

const CONSUMERS: Record<QueueName, Consumer> = {
  checks: handleChecks,
  "checks-slow": handleChecks,
  events: handleEvents,
  deliveries: handleDeliveries,
  "deliveries-slow": handleDeliveries,
  subscribers: handleSubscribers,
  minute: handleMinuteParts,
  mail: handleMail,
};

/** Hands a batch to the consumer of its queue, under the name of any deployment. */
export const handleBatch: Consumer = async (batch, env, defer) => {
  const queue = findQueue(batch.queue);
  const handle: Consumer = queue === undefined || batch.queue.endsWith("-dlq") ? handleDeadLetters : CONSUMERS[queue];
  return handle(batch, await withReachableNetworks(env), defer);
};
