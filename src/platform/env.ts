import type {
  ChecksMessage,
  DeliveryMessage,
  EventMessage,
  MailMessage,
  MinuteMessage,
  SubscriberBatchMessage,
} from "../contract/messages.ts";
import { REGIONS } from "../contract/monitor-values.ts";
import type { QueueMarker } from "../contract/queues.ts";
import { REGION_PLACES } from "../contract/regions.ts";

/** Queues by what travels in them. */
interface Queues {
  CHECKS: Queue<ChecksMessage | QueueMarker>;
  CHECKS_SLOW: Queue<ChecksMessage | QueueMarker>;
  EVENTS: Queue<EventMessage | QueueMarker>;
  DELIVERIES: Queue<DeliveryMessage | QueueMarker>;
  DELIVERIES_SLOW: Queue<DeliveryMessage | QueueMarker>;
  SUBSCRIBERS: Queue<SubscriberBatchMessage | QueueMarker>;
  MINUTE: { sendBatch(messages: Iterable<MessageSendRequest<MinuteMessage | QueueMarker>>): Promise<unknown> };
  MAIL_OUTBOX: Queue<MailMessage | QueueMarker>;
}

/**
 * The bindings of wrangler.toml, from which `npm run types` makes `Bindings`. Settings are read through settings.ts, never
 * from here.
 */
export interface Env extends Omit<Bindings, keyof Queues>, Queues {
  /** The platform's way to send mail, where the operator has bound it. */
  MAIL?: { send(message: EmailMessageBuilder): Promise<unknown> };
}

/** The checker Worker of a region, where `npm run deploy` has bound one. */
export function findChecker(env: Env, region: string): Fetcher | undefined {
  const named = REGIONS.find((each) => each === region);
  const bound: unknown = named && Reflect.get(env, REGION_PLACES[named].binding);
  // No other binding has one of these names (scripts/deploy/worker-config.ts).
  return bound as Fetcher | undefined;
}

/** Whether only programs of this machine reach the service, as `npm start` without a proxy has it (scripts/local/settings.ts). */
export function isOnlyHere(env: Env): boolean {
  return Reflect.get(env, "ONLY_HERE") === "true";
}

/** Whether queues hand over one batch at a time, as those of `npm start` do (scripts/local/compile-service.ts). */
export function hasSerialQueues(env: Env): boolean {
  return Reflect.get(env, "SERIAL_QUEUES") === "true";
}
