import { and, count, desc, eq, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { notifyContacts } from "./table.ts";

export type NotifyContactRecord = typeof notifyContacts.$inferSelect;
export type NotifyContactKey = Pick<NotifyContactRecord, "id" | "user_id">;

export const isThis = ({ id, user_id }: NotifyContactKey) =>
  and(eq(notifyContacts.id, id), eq(notifyContacts.user_id, user_id));

export async function findNotifyContact(db: Db, key: NotifyContactKey): Promise<NotifyContactRecord | undefined> {
  const rows = await db.select().from(notifyContacts).where(isThis(key)).limit(1);
  return rows[0];
}

/** Newest first. */
export async function listNotifyContacts(db: Db, userId: string, page: { limit: number; offset: number }) {
  const mine = eq(notifyContacts.user_id, userId);
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(notifyContacts)
      .where(mine)
      .orderBy(desc(notifyContacts.created_at), desc(notifyContacts.id))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(notifyContacts).where(mine),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

/** The condition under which a user has so many contacts. */
export function hasContacts(userId: string, contacts: number): SQL {
  return sql`(SELECT count(*) FROM ${notifyContacts} WHERE ${notifyContacts.user_id} = ${userId}) >= ${contacts}`;
}
