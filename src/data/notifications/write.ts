import { type SQL, sql } from "drizzle-orm";
import type { Place } from "../../contract/page-object.ts";
import { type Db, happensAt, type Statement } from "../db.ts";
import { insertAll } from "../insert-all.ts";
import { insertIf } from "../insert-if.ts";
import { isThis, type NotificationKey, type NotificationRecord } from "./read.ts";
import { notifications } from "./table.ts";

/** A repeat inserts nothing. */
export function insertNotification(db: Db, notification: NotificationRecord): Statement {
  return happensAt(db.insert(notifications).values(notification).onConflictDoNothing(), [placeOf(notification)]);
}

export function insertNotifications(db: Db, records: readonly NotificationRecord[], condition?: SQL): Statement {
  return happensAt(insertAll(db, notifications, records, condition), records.map(placeOf));
}

export function insertNotificationIf(db: Db, notification: NotificationRecord, condition: SQL): Statement {
  return happensAt(insertIf(db, notifications, notification, condition), [placeOf(notification)]);
}

/** A notification belongs to its reader alone, regardless of its subject. */
const placeOf = ({ user_id }: NotificationRecord): Place => ({ owner_id: user_id, status_page_id: null });

export function markRead(db: Db, key: NotificationKey, change: { read_at: number | null; updated_at: number }) {
  return db.update(notifications).set(change).where(isThis(key));
}

/** Of those that came until an instant the newest unread ones; each call marks at most `limit` of them. */
export function markReadUntil(
  db: Db,
  { user_id, until, limit }: { user_id: string; until: number; limit: number },
  now: number,
): Statement {
  const unread = sql`(SELECT ${notifications.id} FROM ${notifications} WHERE ${notifications.user_id} = ${user_id}
    AND read_at IS NULL AND ${notifications.created_at} <= ${until} ORDER BY ${notifications.created_at} DESC LIMIT ${limit})`;
  return db.update(notifications).set({ read_at: now, updated_at: now }).where(sql`${notifications.id} IN ${unread}`);
}
