import { and, lt, sql } from "drizzle-orm";
import { type Db, deleteSome, type Statement } from "../db.ts";
import { insertAll } from "../insert-all.ts";
import { claim, settle } from "../outbox/rows.ts";
import { type ContactMessageRecord, isThis, type NotifyContactKey, type NotifyContactRecord } from "./read.ts";
import { applicationKeys, contactMessages, notifyContacts } from "./table.ts";

export function insertNotifyContact(db: Db, contact: NotifyContactRecord): Statement {
  return db.insert(notifyContacts).values(contact);
}

export function markContactVerified(db: Db, key: NotifyContactKey, now: number): Statement {
  return db.update(notifyContacts).set({ verified_at: now, updated_at: now }).where(isThis(key));
}

/** Counts an attempt to enter its code; false where it had so many before. */
export async function countCodeAttempt(db: Db, key: NotifyContactKey, attemptsMax: number): Promise<boolean> {
  const counted = await db
    .update(notifyContacts)
    .set({ code_attempts: sql`code_attempts + 1` })
    .where(and(isThis(key), lt(notifyContacts.code_attempts, attemptsMax)))
    .returning({ id: notifyContacts.id });
  return counted.length > 0;
}

export function deleteNotifyContact(db: Db, key: NotifyContactKey): Statement {
  return db.delete(notifyContacts).where(isThis(key));
}

/** One that is there already stays as it is. */
export function insertContactMessages(db: Db, messages: readonly ContactMessageRecord[]): Statement {
  return insertAll(db, contactMessages, messages);
}

/** Claims a message for one attempt; undefined where another attempt holds it. */
export async function claimContactMessage(
  db: Db,
  id: string,
  lease: { now: number; lease_until: number },
): Promise<ContactMessageRecord | undefined> {
  return (await claim(db, contactMessages, id, lease))[0];
}

export function settleContactMessage(
  db: Db,
  claimed: Pick<ContactMessageRecord, "id" | "attempt">,
  settlement: Partial<Pick<ContactMessageRecord, "sealed" | "state" | "next_attempt_at" | "error">> & {
    updated_at: number;
  },
): Statement {
  return settle(db, contactMessages, claimed, settlement);
}

export function deleteContactMessagesBefore(db: Db, instant: number): Statement {
  return deleteSome(db, contactMessages, lt(contactMessages.created_at, instant));
}

/** Of two invocations at once the first one's pair holds. */
export function insertApplicationKey(db: Db, pair: typeof applicationKeys.$inferInsert): Statement {
  return db.insert(applicationKeys).values(pair).onConflictDoNothing();
}
