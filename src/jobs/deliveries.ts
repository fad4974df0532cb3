import { jobDeps } from "../access/scope.ts";
import { DeliveryMessage } from "../contract/messages.ts";
import { deliverOne } from "../delivery/process-delivery.ts";
import type { Env } from "../platform/env.ts";
import { handleMessages } from "./messages.ts";

/** A hanging endpoint holds up nobody else's. */
export async function handleDeliveries(batch: MessageBatch, env: Env): Promise<void> {
  const deps = jobDeps(env, "deliveries");
  await handleMessages(deps, batch, DeliveryMessage, ({ delivery_id }) =>
    deliverOne({ ...deps, now: deps.now() }, delivery_id),
  );
}
