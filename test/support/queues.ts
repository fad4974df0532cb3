import { env } from "cloudflare:workers";
import type {
  ChecksMessage,
  DeliveryMessage,
  EventMessage,
  MailMessage,
  MinuteMessage,
  SubscriberBatchMessage,
} from "../../src/contract/messages.ts";
import { QueueMarker } from "../../src/contract/queues.ts";
import type { Env } from "../../src/platform/env.ts";

export interface Sent<Body> {
  body: Body;
  delaySeconds?: number;
}

function recorder<Body>() {
  const sent: Sent<Body>[] = [];
  const queue = {
    send: async (body: Body, options?: { delaySeconds?: number }) => {
      sent.push({ body, ...options });
    },
    sendBatch: async (messages: Iterable<Sent<Body | QueueMarker>>) => {
      for (const message of messages) if (isWork(message)) sent.push(message);
    },
  };
  // Only what the product calls; a call of anything else fails the test.
  return { sent, queue: queue as unknown as Queue<Body> };
}

/** Markers go through every queue in every test. */
function isWork<Body>(message: Sent<Body | QueueMarker>): message is Sent<Body> {
  return !QueueMarker.safeParse(message.body).success;
}

/** The real bindings, but with queues that only write down what they are given. */
export function recordingEnv(changes: Partial<Env> & Record<string, unknown> = {}) {
  const checks = recorder<Extract<ChecksMessage, { kind: "check" }>>();
  const slow = recorder<Extract<ChecksMessage, { kind: "check" }>>();
  const events = recorder<EventMessage>();
  const deliveries = recorder<DeliveryMessage>();
  const slowDeliveries = recorder<DeliveryMessage>();
  const subscribers = recorder<SubscriberBatchMessage>();
  const minute = recorder<MinuteMessage>();
  const mail = recorder<MailMessage>();
  return {
    env: {
      ...env,
      CHECKS: checks.queue,
      CHECKS_SLOW: slow.queue,
      EVENTS: events.queue,
      DELIVERIES: deliveries.queue,
      DELIVERIES_SLOW: slowDeliveries.queue,
      SUBSCRIBERS: subscribers.queue,
      MINUTE: minute.queue,
      MAIL_OUTBOX: mail.queue,
      ...changes,
    },
    checks: checks.sent,
    slow: slow.sent,
    events: events.sent,
    deliveries: deliveries.sent,
    slowDeliveries: slowDeliveries.sent,
    subscribers: subscribers.sent,
    minute: minute.sent,
    mail: mail.sent,
  };
}
