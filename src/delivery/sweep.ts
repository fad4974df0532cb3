import type { Scope } from "../access/scope.ts";
import { listDeliveriesToWake } from "../data/deliveries/read.ts";
import { deleteDeliveriesBefore } from "../data/deliveries/write.ts";
import { deleteChatMessagesBefore } from "../data/webhooks/chat-messages.ts";
import { sweepPages } from "../outbox/publication.ts";
import { wakeDeliveries } from "./wake.ts";

const DELETED_PER_MINUTE = 500;

/** Every minute: wakes due deliveries that no message woke, and deletes those past their retention. */
export async function sweepDeliveries(scope: Scope): Promise<void> {
  const { db, settings, now } = scope;
  await sweepPages(async (limit) => {
    const ids = await listDeliveriesToWake(db, now, limit);
    await wakeDeliveries(scope, ids);
    return ids.length;
  });
  await deleteChatMessagesBefore(db, now - settings.DELIVERY_RETENTION_MS, DELETED_PER_MINUTE);
  await deleteDeliveriesBefore(db, now - settings.DELIVERY_RETENTION_MS, DELETED_PER_MINUTE);
}
