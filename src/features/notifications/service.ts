import { commit } from "../../access/commit.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { notFound } from "../../contract/errors.ts";
import type { NotificationChange, NotificationsRead } from "../../contract/notification.ts";
import type { Pagination } from "../../contract/pagination.ts";
import { findNotification, listNotifications, type NotificationRecord } from "../../data/notifications/read.ts";
import { markRead, markReadUntil } from "../../data/notifications/write.ts";

export function listMyNotifications(ctx: RequestScope, page: Pagination) {
  return listNotifications(ctx.db, requireUser(ctx).user_id, page);
}

export async function changeNotification(
  ctx: RequestScope,
  notificationId: string,
  { is_read }: NotificationChange,
): Promise<NotificationRecord> {
  const key = { id: notificationId, user_id: requireUser(ctx).user_id };
  const notification = await findNotification(ctx.db, key);
  if (!notification) throw notFound("notification");
  const change = { read_at: is_read ? (notification.read_at ?? ctx.now) : null, updated_at: ctx.now };
  await commit(ctx, [markRead(ctx.db, key, change)], {
    audit: {
      owner_id: key.user_id,
      target_type: "notification",
      target_id: notification.id,
      summary: `marked a notification as ${is_read ? "read" : "unread"}`,
    },
  });
  return { ...notification, ...change };
}

/** More than anybody looks through at once. */
const READ_AT_ONCE_MAX = 1000;

export async function readNotifications(ctx: RequestScope, { until }: NotificationsRead): Promise<void> {
  const { user_id } = requireUser(ctx);
  await commit(ctx, [markReadUntil(ctx.db, { user_id, until, limit: READ_AT_ONCE_MAX }, ctx.now)], {
    audit: {
      owner_id: user_id,
      target_type: "notification",
      target_id: user_id,
      summary: "marked notifications as read",
    },
  });
}
