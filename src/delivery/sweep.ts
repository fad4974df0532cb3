import type { Scope } from "../access/scope.ts";
import { listDueDeliveries } from "../data/deliveries/read.ts";
import { deleteDeliveriesBefore } from "../data/deliveries/write.ts";
import { wakeDeliveries } from "./fan-out.ts";

/** What one minute takes on: a backlog drains at this pace instead of all at once. */
const WOKEN_PER_MINUTE = 500;
const DELETED_PER_MINUTE = 500;

/** Every minute: wakes what is due and not under way, whatever became of its message, and forgets what is too old. */
export async function sweepDeliveries({ env, settings, db, log, now }: Scope): Promise<void> {
  await wakeDeliveries(env, log, await listDueDeliveries(db, now, WOKEN_PER_MINUTE));
  await deleteDeliveriesBefore(db, now - settings.DELIVERY_RETENTION_MS, DELETED_PER_MINUTE);
}
