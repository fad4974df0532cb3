import { z } from "zod";

/** What Twilio sends about a text message or call; it adds fields without notice. */

/** https://www.twilio.com/docs/messaging/guides/webhook-request */
export const TwilioMessage = z.object({
  AccountSid: z.string(),
  MessageSid: z.string().max(64),
  From: z.string(),
  Body: z.string(),
});
export type TwilioMessage = z.infer<typeof TwilioMessage>;

/** https://www.twilio.com/docs/voice/twiml#request-parameters; `Digits` is there once a key was pressed. */
export const TwilioCall = z.object({
  AccountSid: z.string(),
  CallStatus: z.string(),
  Digits: z.string().optional(),
});
export type TwilioCall = z.infer<typeof TwilioCall>;
