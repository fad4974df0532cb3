import { and, asc, count, desc, eq, isNotNull, or, type SQL, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { isPending, listToWake } from "../outbox/rows.ts";
import { applicationKeys, contactMessages, notifyContacts } from "./table.ts";

export type NotifyContactRecord = typeof notifyContacts.$inferSelect;
export type ContactMessageRecord = typeof contactMessages.$inferSelect;
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

/** Of all people that one alert concerns. */
const BROWSERS_MAX = 2_000;

/** The browsers that these people verified. */
export function listBrowsers(db: Db, userIds: readonly string[]): Promise<NotifyContactRecord[]> {
  return db
    .select()
    .from(notifyContacts)
    .where(
      and(
        sql`${notifyContacts.user_id} IN (SELECT value FROM json_each(${JSON.stringify(userIds)}))`,
        eq(notifyContacts.type, "push"),
        isNotNull(notifyContacts.verified_at),
      ),
    )
    .orderBy(asc(notifyContacts.created_at), asc(notifyContacts.id))
    .limit(BROWSERS_MAX);
}

export async function findContactById(db: Db, id: string): Promise<NotifyContactRecord | undefined> {
  return (await db.select().from(notifyContacts).where(eq(notifyContacts.id, id)).limit(1))[0];
}

/** Several accounts may have verified one number. */
const OF_NUMBER_MAX = 5;

/** The verified contacts of an owner and their teams that a text message from this number may answer for. */
export function listContactsOfNumber(
  db: Db,
  { number_hash, owner_id }: { number_hash: string; owner_id: string },
): Promise<NotifyContactRecord[]> {
  const isOfTeam = sql`EXISTS (SELECT 1 FROM page_members m JOIN status_pages p ON p.id = m.status_page_id
    WHERE m.user_id = ${notifyContacts.user_id} AND p.owner_id = ${owner_id})`;
  return db
    .select()
    .from(notifyContacts)
    .where(
      and(
        eq(notifyContacts.number_hash, number_hash),
        sql`number_hash IS NOT NULL`,
        isNotNull(notifyContacts.verified_at),
        or(eq(notifyContacts.user_id, owner_id), isOfTeam),
      ),
    )
    .orderBy(asc(notifyContacts.created_at), asc(notifyContacts.id))
    .limit(OF_NUMBER_MAX);
}

export function listContactMessagesToWake(db: Db, now: number, limit: number): Promise<string[]> {
  return listToWake(db, contactMessages, {
    wakeAt: contactMessages.wake_at,
    isWaiting: isPending(contactMessages),
    dueAt: contactMessages.next_attempt_at,
    now,
    limit,
  });
}

export async function findApplicationKey(db: Db) {
  return (await db.select().from(applicationKeys).limit(1))[0];
}
