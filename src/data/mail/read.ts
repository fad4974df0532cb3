import { asc, desc, isNotNull, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { isDue, isPending, listToWake } from "../outbox/rows.ts";
import { mailOutbox } from "./table.ts";

export type MailRecord = typeof mailOutbox.$inferSelect;

/** Those of these that are due, oldest first. */
export function listDueMail(db: Db, ids: readonly string[], now: number): Promise<MailRecord[]> {
  return db
    .select()
    .from(mailOutbox)
    .where(sql`${mailOutbox.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)})) AND ${isDue(mailOutbox, now)}`)
    .orderBy(asc(mailOutbox.created_at), asc(mailOutbox.id))
    .limit(ids.length);
}

/** The newest whose text is still there. */
export function listStayedMail(db: Db, limit: number): Promise<MailRecord[]> {
  return db
    .select()
    .from(mailOutbox)
    .where(isNotNull(mailOutbox.sealed))
    .orderBy(desc(mailOutbox.created_at), desc(mailOutbox.id))
    .limit(limit);
}

export function listMailToWake(db: Db, now: number, limit: number): Promise<string[]> {
  return listToWake(db, mailOutbox, {
    wakeAt: mailOutbox.wake_at,
    isWaiting: isPending(mailOutbox),
    dueAt: mailOutbox.next_attempt_at,
    now,
    limit,
  });
}
