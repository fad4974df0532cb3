import { z } from "zod";
import { Id, Instant, NAME_LENGTH_MAX } from "./common.ts";
import { Notice } from "./notices.ts";

export const NOTIFY_CONTACT_TYPES = [
  "email",
  "webhook",
  "slack",
  "discord",
  "telegram",
  "push",
  "sms",
  "phone",
] as const;
export type NotifyContactType = (typeof NOTIFY_CONTACT_TYPES)[number];

/** By text message and by call, through a Twilio channel of the owner of a page. */
export const TELEPHONE_TYPES = ["sms", "phone"] as const;
export type TelephoneType = (typeof TELEPHONE_TYPES)[number];
/** Those whose value is the address of a channel. */
export type AddressedContactType = Exclude<NotifyContactType, "push" | TelephoneType>;

export function isTelephone(type: string): type is TelephoneType {
  return (TELEPHONE_TYPES as readonly string[]).includes(type);
}

/** E.164: https://www.twilio.com/docs/glossary/what-e164 */
export const TELEPHONE_NUMBER = /^\+[1-9]\d{6,14}$/;
const VALUE_LENGTH_MAX = 2048;

export const NotifyContactCreate = z
  .object({
    type: z.enum(NOTIFY_CONTACT_TYPES),
    value: z.string().trim().min(1).max(VALUE_LENGTH_MAX).meta({
      description:
        "e-mail address; https address; discord:channel:<id>; chat id of the operator's Telegram bot; of push the subscription of a browser as JSON; of sms and phone a number such as +4930123456",
    }),
    label: z.string().trim().max(NAME_LENGTH_MAX).nullish(),
  })
  .meta({ id: "NotifyContactCreate" });
export type NotifyContactCreate = z.infer<typeof NotifyContactCreate>;

/** https://www.w3.org/TR/push-api/#pushsubscription-interface: an uncompressed point of P-256, and 16 bytes. */
export const BrowserSubscription = z.object({
  endpoint: z.url(),
  keys: z.object({ p256dh: z.string().regex(/^B[\w-]{86}=?$/), auth: z.string().regex(/^[\w-]{22}(?:==)?$/) }),
});
export type BrowserSubscription = z.infer<typeof BrowserSubscription>;

export const ApplicationKey = z
  .object({
    public_key: z.string().meta({ description: "applicationServerKey with which a browser subscribes, as base64url" }),
  })
  .meta({ id: "ApplicationKey" });

export const NotifyContactVerify = z
  .object({
    code: z
      .string()
      .trim()
      .regex(/^\d{8}$/, "must be the 8 digits of the message"),
  })
  .meta({ id: "NotifyContactVerify" });

export const NotifyContact = z
  .object({
    id: Id,
    type: z.enum(NOTIFY_CONTACT_TYPES),
    value: z.string().meta({ description: "of push the push service alone, because its address is a credential" }),
    label: z.string().nullable(),
    verified: z.boolean().meta({ description: "nothing but its code is sent to a contact that is not verified" }),
    notices: z.array(Notice).optional().meta({ description: "why its code could not be sent" }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "NotifyContact" });
