import { z } from "zod";
import { MonitorTransition } from "./event.ts";

/**
 * One slot of one check group in one region. Carries no configuration: the runner reads what is true when it runs, so
 * secrets never sit in a queue and a pause takes effect at once. `monitor_id` narrows a repeat or a first check to one.
 */
export const CheckMessage = z.object({
  group_id: z.string().min(1),
  region: z.string().min(1),
  slot_at: z.number().int(),
  attempt: z.number().int().min(0),
  monitor_id: z.string().optional(),
  /** As many members are checked by earlier messages of the same slot. */
  skip: z.number().int().min(1).optional(),
});
export type CheckMessage = z.infer<typeof CheckMessage>;

/** Either changes of a monitor that its object still keeps until they are confirmed, or an event stored as a row. */
export const EventMessage = z.union([
  z.object({ monitor_id: z.string(), transitions: z.array(MonitorTransition).min(1) }),
  z.object({ event_id: z.string() }),
]);
export type EventMessage = z.infer<typeof EventMessage>;

export const DeliveryMessage = z.object({ delivery_id: z.string() });
export type DeliveryMessage = z.infer<typeof DeliveryMessage>;

/** What one message may have sent: a thousand subscribers are not one invocation's work. */
export const SUBSCRIBERS_PER_MESSAGE = 100;

/** Wakes what lies ready for subscribers: all that tells of one event, from the one after `after` on, or these. */
export const SubscriberBatchMessage = z.union([
  z.object({ event_id: z.string(), after: z.string() }),
  z.object({ message_ids: z.array(z.string()).min(1).max(SUBSCRIBERS_PER_MESSAGE) }),
]);
export type SubscriberBatchMessage = z.infer<typeof SubscriberBatchMessage>;

/** Wakes one part of the minute's work (jobs/minute.ts). */
export const MinuteMessage = z.object({ part: z.string().min(1), minute_at: z.number().int() });
export type MinuteMessage = z.infer<typeof MinuteMessage>;
