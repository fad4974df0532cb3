import type { Scope } from "../access/scope.ts";
import type { DeliveryMessage } from "../contract/messages.ts";
import { wake } from "../outbox/publication.ts";
import type { Attempted } from "./attempt.ts";

/** Longer waits are left to the sweep, so that queues stay short. */
const DELAYED_MESSAGE_MAX_MS = 10 * 60 * 1000;

type WakeScope = Pick<Scope, "env" | "log">;

export function wakeDeliveries(scope: WakeScope, deliveryIds: readonly string[]): Promise<void> {
  return wake(scope, { queue: scope.env.DELIVERIES, messages: messagesOf(deliveryIds), what: "delivery" });
}

/** For deliveries that another invocation may be attempting. */
export function wakeDeliveriesLater(scope: WakeScope, deliveryIds: readonly string[], delay_ms: number): Promise<void> {
  const messages = messagesOf(deliveryIds);
  return wake(scope, { queue: scope.env.DELIVERIES, messages, what: "delivery", delay_ms });
}

/** Deliveries to receivers that let attempts time out. */
export function wakeSlowDeliveries(scope: WakeScope, deliveryIds: readonly string[]): Promise<void> {
  return wake(scope, { queue: scope.env.DELIVERIES_SLOW, messages: messagesOf(deliveryIds), what: "delivery" });
}

/** Each when its next attempt is due, in the queue of its receiver. */
export async function wakeRetries(
  scope: WakeScope & Pick<Scope, "now">,
  attempts: readonly Attempted[],
): Promise<void> {
  const delays = new Map(
    attempts.flatMap(({ delivery, outcome, record }) => {
      const delay = (outcome.next_attempt_at ?? Number.POSITIVE_INFINITY) - scope.now - record.duration_ms;
      return delay < DELAYED_MESSAGE_MAX_MS ? [[delivery.id, Math.max(delay, 0)]] : [];
    }),
  );
  const retried = attempts.filter(({ delivery }) => delays.has(delivery.id));
  const lanes = Map.groupBy(retried, ({ speed, webhook }) =>
    speed === "slow" || (webhook.slow_since !== null && speed !== "quick") ? "slow" : "normal",
  );
  const { DELIVERIES, DELIVERIES_SLOW } = scope.env;
  for (const [lane, theirs] of lanes) {
    await wake<DeliveryMessage>(scope, {
      queue: lane === "slow" ? DELIVERIES_SLOW : DELIVERIES,
      messages: messagesOf(theirs.map(({ delivery }) => delivery.id)),
      what: "delivery",
      delay_ms: ({ delivery_id }) => delays.get(delivery_id) ?? 0,
    });
  }
}

function messagesOf(deliveryIds: readonly string[]): DeliveryMessage[] {
  return deliveryIds.map((delivery_id) => ({ delivery_id }));
}
