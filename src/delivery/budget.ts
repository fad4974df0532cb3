import { capOf } from "../access/plan-caps.ts";
import type { Scope } from "../access/scope.ts";
import type { Plan } from "../contract/plan.ts";
import { runBatch } from "../data/db.ts";
import type { DeliveryRecord } from "../data/deliveries/read.ts";
import { listThrottledOwners } from "../data/delivery-budgets/read.ts";
import {
  clearThrottling,
  countDelivery,
  endThrottling,
  releaseDeliveries,
  throttleDelivery,
} from "../data/delivery-budgets/write.ts";
import { HOUR_MS, MINUTE_MS } from "../lib/durations.ts";
import { SWEEP_PAGE } from "../outbox/publication.ts";
import { wakeDeliveries } from "./fan-out.ts";

/**
 * How many deliveries an owner's webhooks send in a minute. What is above waits: the minute's sweep releases the newest
 * first, because the latest state matters most, and what arrives meanwhile is newer still.
 */

/** The sweep releases what waits; this is for deliveries that it missed. */
const MISSED_AFTER_MS = 6 * HOUR_MS;
const OWNERS_PER_MINUTE = 300;

interface Sendable {
  delivery: DeliveryRecord;
  owner: { id: string; plan: Plan | null };
}

/** Takes a claimed delivery from this minute's budget; false when there is none left and it waits. */
export async function claimFromBudget(scope: Scope, { delivery, owner }: Sendable): Promise<boolean> {
  const { db, settings, now } = scope;
  const max = capOf(settings, "deliveries", owner.plan ?? settings.DEFAULT_PLAN);
  const minuteAt = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  if (max === null || (await countDelivery(db, owner.id, minuteAt)) <= max) {
    if (delivery.throttled_owner_id !== null) await runBatch(db, [clearThrottling(db, delivery.id)]);
    return true;
  }
  const next_attempt_at = minuteAt + MINUTE_MS;
  const wake_at = now + MISSED_AFTER_MS;
  await runBatch(db, throttleDelivery(db, delivery, { owner_id: owner.id, next_attempt_at, wake_at, now }));
  return false;
}

/** Every minute: makes as many of each owner's waiting deliveries due as the plan allows. */
export async function sweepThrottled(scope: Scope): Promise<void> {
  const { db, settings, now } = scope;
  for (const { owner_id, plan } of await listThrottledOwners(db, OWNERS_PER_MINUTE)) {
    const limit = capOf(settings, "deliveries", plan ?? settings.DEFAULT_PLAN) ?? SWEEP_PAGE;
    const ids = await releaseDeliveries(db, owner_id, { limit, now });
    if (ids.length < limit) await runBatch(db, [endThrottling(db, owner_id)]);
    await wakeDeliveries(scope, ids);
  }
}
