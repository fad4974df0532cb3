import { jobScope } from "../access/scope.ts";
import { DeliveryMessage } from "../contract/messages.ts";
import { processDelivery } from "../delivery/process-delivery.ts";
import type { Env } from "../platform/env.ts";
import { handleMessages } from "./messages.ts";

export async function handleDeliveries(batch: MessageBatch, env: Env): Promise<void> {
  const scope = jobScope(env, "deliveries");
  await handleMessages(scope, batch, DeliveryMessage, ({ delivery_id }) => processDelivery(scope, delivery_id));
}
