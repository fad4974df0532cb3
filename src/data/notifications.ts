import { and, count, desc, eq, type SQL, sql } from "drizzle-orm";
import type { Db, Statement } from "./db.ts";
import { notifications } from "./notifications.table.ts";

export type NotificationRecord = typeof notifications.$inferSelect;

export async function listNotifications(db: Db, userId: string, page: { limit: number; offset: number }) {
  const mine = eq(notifications.user_id, userId);
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(notifications)
      .where(mine)
      .orderBy(desc(notifications.created_at), desc(notifications.id))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(notifications).where(mine),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

type NotificationKey = Pick<NotificationRecord, "id" | "user_id">;

export async function findNotification(db: Db, key: NotificationKey): Promise<NotificationRecord | undefined> {
  const rows = await db.select().from(notifications).where(isThis(key)).limit(1);
  return rows[0];
}

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

function isThis({ id, user_id }: NotificationKey) {
  return and(eq(notifications.id, id), eq(notifications.user_id, user_id));
}
