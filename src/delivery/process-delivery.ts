import type { Scope } from "../access/scope.ts";
import { runBatch } from "../data/db.ts";
import { claimDelivery, settleDelivery, unclaimDelivery } from "../data/deliveries/write.ts";
import { performAttempt } from "./attempt.ts";
import { claimFromBudget } from "./budget.ts";
import { wakeDeliveries, wakeSlowDelivery } from "./fan-out.ts";

/** Longer waits are left to the sweep, so that queues stay short. */
const DELAYED_MESSAGE_MAX_MS = 10 * 60 * 1000;

/** On top of the time-out: for reading the configuration, look-ups and recording. */
const LEASE_SLACK_MS = 20_000;

/** When a claim lapses, so that an attempt that was not recorded is repeated. */
export function leaseUntil({ settings, now }: Pick<Scope, "settings" | "now">): number {
  return now + settings.DELIVERY_TIMEOUT_MS + LEASE_SLACK_MS;
}

/**
 * Attempts a delivery if it is due. Any number of messages for the same delivery make one attempt. A receiver that lets
 * attempts time out delays no other: its deliveries move to the slow queue until it answers in time.
 */
export async function processDelivery(
  scope: Scope,
  deliveryId: string,
  lane: "normal" | "slow" = "normal",
): Promise<void> {
  const { db, now } = scope;
  const claimed = await claimDelivery(db, deliveryId, { now, lease_until: leaseUntil(scope) });
  if (!claimed) return;
  const { delivery, webhook, event, owner_plan } = claimed;
  if (!webhook.is_active || !event) {
    const skipped = { state: "skipped", next_attempt_at: null, updated_at: now } as const;
    await runBatch(db, [settleDelivery(db, delivery, skipped)]);
    return;
  }
  if (lane === "normal" && webhook.slow_since !== null) {
    await runBatch(db, [unclaimDelivery(db, delivery)]);
    await wakeSlowDelivery(scope, deliveryId);
    return;
  }
  if (!(await claimFromBudget(scope, { delivery, owner: { id: webhook.owner_id, plan: owner_plan } }))) return;
  const { next_attempt_at, duration_ms } = await performAttempt(scope, { delivery, webhook, event });
  const delayMs = (next_attempt_at ?? Number.POSITIVE_INFINITY) - now - duration_ms;
  if (delayMs < DELAYED_MESSAGE_MAX_MS) await wakeDeliveries(scope, [deliveryId], Math.max(delayMs, 0));
}
