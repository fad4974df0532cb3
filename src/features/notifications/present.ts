import type { z } from "zod";
import type { Notification } from "../../contract/notification.ts";
import type { NotificationRecord } from "../../data/notifications/read.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";

export function presentNotification(notification: NotificationRecord): z.infer<typeof Notification> {
  return {
    id: notification.id,
    type: notification.type,
    title: notification.title,
    message: notification.message,
    status_page_id: notification.status_page_id,
    target_id: notification.target_id,
    is_read: notification.read_at !== null,
    read_at: toIsoOrNull(notification.read_at),
    created_at: toIso(notification.created_at),
    updated_at: toIso(notification.updated_at),
  };
}
