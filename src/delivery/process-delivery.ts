import type { Scope } from "../access/scope.ts";
import { runBatch } from "../data/db.ts";
import { claimDelivery, settleDelivery } from "../data/deliveries/write.ts";
import { performAttempt } from "./attempt.ts";

/** Longer waits are left to the minute sweep, so that the row stays the truth and queues stay short. */
const DELAYED_MESSAGE_MAX_MS = 10 * 60 * 1000;

/** On top of the time-out: for reading the configuration, look-ups and recording. */
const LEASE_SLACK_MS = 20_000;

/** When a claim lapses, that is when an attempt that was not recorded may be repeated. */
export function leaseUntil({ settings, now }: Pick<Scope, "settings" | "now">): number {
  return now + settings.DELIVERY_TIMEOUT_MS + LEASE_SLACK_MS;
}

/** Attempts a delivery if it is due. Any number of messages for the same delivery make one attempt. */
export async function processDelivery(scope: Scope, deliveryId: string): Promise<void> {
  const { db, now } = scope;
  const claimed = await claimDelivery(db, deliveryId, { now, lease_until: leaseUntil(scope) });
  if (!claimed) return;
  if (!claimed.webhook.is_active) {
    const skipped = { state: "skipped", next_attempt_at: null, updated_at: now } as const;
    await runBatch(db, [settleDelivery(db, claimed.delivery, skipped)]);
    return;
  }
  const { next_attempt_at, duration_ms } = await performAttempt(scope, claimed);
  if (next_attempt_at !== null) await wakeLater(scope, deliveryId, next_attempt_at - now - duration_ms);
}

async function wakeLater({ env, log }: Scope, delivery_id: string, delayMs: number): Promise<void> {
  if (delayMs >= DELAYED_MESSAGE_MAX_MS) return;
  try {
    await env.DELIVERIES.send({ delivery_id }, { delaySeconds: Math.ceil(delayMs / 1000) });
  } catch (error) {
    log.warn("delivery left to the sweep", { delivery_id, cause: String(error) });
  }
}
