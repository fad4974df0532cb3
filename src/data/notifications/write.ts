import type { SQL } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { insertAll } from "../insert-all.ts";
import { insertIf } from "../insert-if.ts";
import { isThis, type NotificationKey, type NotificationRecord } from "./read.ts";
import { notifications } from "./table.ts";

/** A repeat inserts nothing. */
export function insertNotification(db: Db, notification: NotificationRecord): Statement {
  return db.insert(notifications).values(notification).onConflictDoNothing();
}

export function insertNotifications(db: Db, records: readonly NotificationRecord[], condition?: SQL): Statement {
  return insertAll(db, notifications, records, condition);
}

export function insertNotificationIf(db: Db, notification: NotificationRecord, condition: SQL): Statement {
  return insertIf(db, notifications, notification, condition);
}

export function markRead(db: Db, key: NotificationKey, change: { read_at: number | null; updated_at: number }) {
  return db.update(notifications).set(change).where(isThis(key));
}
