import { z } from "zod";

/** A message as it lies in the outbox, before it is encrypted. */
export const MailText = z.object({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
});
