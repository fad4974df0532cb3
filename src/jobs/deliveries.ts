import { jobScope, shareScope } from "../access/scope.ts";
import { DeliveryMessage } from "../contract/messages.ts";
import { findQueue } from "../contract/queues.ts";
import { type Lane, processDeliveries } from "../delivery/process-deliveries.ts";
import type { Env } from "../platform/env.ts";
import { handleTogether } from "./messages.ts";

/**
 * The consumer of both queues: receivers that let attempts time out have one of their own, whose batches wait for all of
 * their attempts.
 */
export async function handleDeliveries(batch: MessageBatch, env: Env, defer: Lane["defer"]): Promise<void> {
  const own = jobScope(env, "deliveries");
  const scope = batch.messages.length > 1 ? shareScope(own) : own;
  const lane: Lane =
    findQueue(batch.queue) === "deliveries-slow" ? { lane: "slow", defer: null } : { lane: "normal", defer };
  await handleTogether(scope, batch, DeliveryMessage, (messages) => {
    const ids = messages.map(({ delivery_id }) => delivery_id);
    return processDeliveries(scope, ids, lane);
  });
}
