import { jobScope } from "../access/scope.ts";
import { DeliveryMessage } from "../contract/messages.ts";
import { findQueue } from "../contract/queues.ts";
import { processDelivery } from "../delivery/process-delivery.ts";
import type { Env } from "../platform/env.ts";
import { handleMessages } from "./messages.ts";

/** The consumer of both queues: receivers that let attempts time out have one of their own. */
export async function handleDeliveries(batch: MessageBatch, env: Env): Promise<void> {
  const scope = jobScope(env, "deliveries");
  const lane = findQueue(batch.queue) === "deliveries-slow" ? "slow" : "normal";
  await handleMessages(scope, batch, DeliveryMessage, ({ delivery_id }) => processDelivery(scope, delivery_id, lane));
}
