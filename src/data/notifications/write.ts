import { type SQL, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { isThis, type NotificationKey, type NotificationRecord } from "./read.ts";
import { notifications } from "./table.ts";

/** Told once, however often it is said. */
export function insertNotification(db: Db, notification: NotificationRecord): Statement {
  return db.insert(notifications).values(notification).onConflictDoNothing();
}

/** Told only if the condition holds at the moment of the write. */
export function insertNotificationIf(db: Db, told: NotificationRecord, condition: SQL): Statement {
  return db.insert(notifications).select(
    sql`SELECT ${told.id}, ${told.user_id}, ${told.type}, ${told.title}, ${told.message}, ${told.status_page_id},
      ${told.target_id}, ${told.read_at}, ${told.created_at}, ${told.updated_at} WHERE ${condition}`,
  );
}

export function markRead(db: Db, key: NotificationKey, change: { read_at: number | null; updated_at: number }) {
  return db.update(notifications).set(change).where(isThis(key));
}
