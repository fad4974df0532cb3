import { z } from "zod";

/** As wrangler.toml names them; a deployment puts its own name and a hyphen before them. */
export const QUEUES = [
  "checks",
  "checks-slow",
  "events",
  "deliveries",
  "deliveries-slow",
  "subscribers",
  "mail",
  "minute",
] as const;
export type QueueName = (typeof QUEUES)[number];

/** Sent through every queue once a minute; the consumer records it, so that a stalled queue or consumer is noticed. */
export const QueueMarker = z.object({ marker_sent_at: z.number().int() });
export type QueueMarker = z.infer<typeof QueueMarker>;

/** The queue of a consumer, or of the dead letters of one. */
export function findQueue(name: string): QueueName | undefined {
  const live = name.replace(/-dlq$/, "");
  return QUEUES.find((known) => live === known || live.endsWith(`-${known}`));
}
