import { and, asc, eq, lte } from "drizzle-orm";
import type { Db } from "../db.ts";
import { mailOutbox } from "./table.ts";

export type MailRecord = typeof mailOutbox.$inferSelect;

export function listDueMail(db: Db, now: number, limit: number): Promise<MailRecord[]> {
  return db
    .select()
    .from(mailOutbox)
    .where(and(eq(mailOutbox.state, "pending"), lte(mailOutbox.next_attempt_at, now)))
    .orderBy(asc(mailOutbox.next_attempt_at))
    .limit(limit);
}
