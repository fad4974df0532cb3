import { z } from "zod";

/** A message of the outbox before it is encrypted. */
export const MailText = z.object({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
});
export type Mail = z.output<typeof MailText>;

/** The result of sending one message. `unavailable`: the transport itself failed, and would fail for other messages, too. */
export type MailOutcome =
  | { kind: "sent" }
  | { kind: "failed"; error: string; is_final: boolean }
  | { kind: "unavailable"; error: string };
