import { and, eq, lt, type SQL, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import type { MailRecord } from "./read.ts";
import { mailOutbox } from "./table.ts";

/** A message that is there already stays as it is. */
export function insertMail(db: Db, mail: MailRecord): Statement {
  return db.insert(mailOutbox).values(mail).onConflictDoNothing();
}

/** Told only if the condition holds at the moment of the write. */
export function insertMailIf(db: Db, mail: MailRecord, condition: SQL): Statement {
  return db.insert(mailOutbox).select(
    sql`SELECT ${mail.id}, ${mail.sealed}, ${mail.state}, ${mail.attempt}, ${mail.next_attempt_at}, ${mail.error},
      ${mail.created_at}, ${mail.updated_at} WHERE ${condition}`,
  );
}

/** Takes a message for one attempt; false when somebody else has it. */
export async function claimMail(db: Db, mail: MailRecord, leaseUntil: number): Promise<boolean> {
  const claimed = await db
    .update(mailOutbox)
    .set({ attempt: sql`${mailOutbox.attempt} + 1`, next_attempt_at: leaseUntil })
    .where(and(eq(mailOutbox.id, mail.id), eq(mailOutbox.state, "pending"), eq(mailOutbox.attempt, mail.attempt)))
    .returning({ id: mailOutbox.id });
  return claimed.length > 0;
}

type Settlement = Partial<Pick<MailRecord, "sealed" | "state" | "next_attempt_at" | "error">> & { updated_at: number };

export function settleMail(db: Db, mailId: string, settlement: Settlement): Statement {
  return db.update(mailOutbox).set(settlement).where(eq(mailOutbox.id, mailId));
}

export function deleteMailBefore(db: Db, instant: number): Statement {
  return db.delete(mailOutbox).where(lt(mailOutbox.created_at, instant));
}
