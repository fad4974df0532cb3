import { z } from "zod";
import { Id, Instant, InstantInput } from "./common.ts";

export const NOTIFICATION_TYPES = [
  "monitor.unchecked",
  "webhook.failing",
  "webhook.disabled",
  "webhook.recovered",
  "delivery.given_up",
  "contact.ended",
  "member.joined",
  "member.set_up_ended",
  "page.transferred",
  "page.transfer_declined",
  "incident.assigned",
  "domain.active",
  "domain.failing",
  "domain.inactive",
  "team.alert",
  "oncall.notified",
  "oncall.exhausted",
  "oncall.gap",
  "oncall.shift",
  "service.alarm",
] as const;
export type NotificationType = (typeof NOTIFICATION_TYPES)[number];

export const Notification = z
  .object({
    id: Id,
    // After a rollback, the list holds those of the later release, too.
    type: z
      .union([z.enum(NOTIFICATION_TYPES), z.string()])
      .meta({ description: "later releases may add types; title and message state what happened" }),
    title: z.string(),
    message: z.string(),
    status_page_id: Id.nullable(),
    target_id: Id.nullable().meta({ description: "the object that the notification concerns" }),
    is_read: z.boolean(),
    read_at: Instant.nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Notification" });

export const NotificationChange = z.object({ is_read: z.boolean() }).meta({ id: "NotificationChange" });
export type NotificationChange = z.infer<typeof NotificationChange>;

export const NotificationsRead = z
  .object({ until: InstantInput.meta({ description: "when the newest of those came that were looked at" }) })
  .meta({ id: "NotificationsRead" });
export type NotificationsRead = z.infer<typeof NotificationsRead>;
