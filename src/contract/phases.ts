import { z } from "zod";

/** What a check over a connection passes through, in this order. */
export const PHASES = ["lookup_ms", "connect_ms", "tls_ms", "first_byte_ms", "transfer_ms", "undivided_ms"] as const;
export type PhaseName = (typeof PHASES)[number];

/** How long each of PHASES took; null where the place that checked cannot know it, or it did not occur. */
export const PhaseTimes = z
  .array(z.number().min(0).max(3_600_000).overwrite(Math.round).nullable())
  .length(PHASES.length)
  .meta({ description: `milliseconds or null of ${PHASES.join(", ")}` });
export type PhaseTimes = z.infer<typeof PhaseTimes>;
