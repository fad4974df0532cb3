import { jobDeps } from "../access/deps.ts";
import { DeliveryMessage } from "../contract/messages.ts";
import { deliverOne } from "../delivery/deliver.ts";
import type { Env } from "../platform/env.ts";
import { handleMessages } from "./messages.ts";

/** All messages of a batch at once, so that a hanging endpoint holds up nobody else's. */
export async function handleDeliveries(batch: MessageBatch, env: Env): Promise<void> {
  const deps = jobDeps(env, "deliveries");
  await handleMessages(deps, batch, DeliveryMessage, (message) =>
    deliverOne({ ...deps, now: deps.now() }, message.delivery_id),
  );
}
