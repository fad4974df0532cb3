import { z } from "zod";

/** A message as it lies in the outbox, before it is encrypted. */
export const MailText = z.object({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
});

/**
 * What became of handing over one message. `unavailable` says nothing about the message: the way out itself failed, and
 * would fail for others, too.
 */
export type MailOutcome =
  | { kind: "sent" }
  | { kind: "failed"; error: string; is_final: boolean }
  | { kind: "unavailable"; error: string };
