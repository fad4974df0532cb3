import { lt, type SQL } from "drizzle-orm";
import { type Db, deleteSome, type Statement } from "../db.ts";
import { insertAll } from "../insert-all.ts";
import { insertIf } from "../insert-if.ts";
import { claim, settle } from "../outbox/rows.ts";
import type { MailRecord } from "./read.ts";
import { mailOutbox } from "./table.ts";

/** A message that is there already stays as it is. */
export function insertMail(db: Db, mail: MailRecord): Statement {
  return db.insert(mailOutbox).values(mail).onConflictDoNothing();
}

export function insertMails(db: Db, mails: readonly MailRecord[]): Statement {
  return insertAll(db, mailOutbox, mails);
}

export function insertMailIf(db: Db, mail: MailRecord, condition: SQL): Statement {
  return insertIf(db, mailOutbox, mail, condition);
}

/** Claims a message for one attempt; undefined where another attempt holds it. */
export async function claimMail(
  db: Db,
  mailId: string,
  lease: { now: number; lease_until: number },
): Promise<MailRecord | undefined> {
  return (await claim(db, mailOutbox, mailId, lease))[0];
}

type Settlement = Partial<Pick<MailRecord, "sealed" | "state" | "next_attempt_at" | "error">> & { updated_at: number };

export function settleMail(db: Db, claimed: Pick<MailRecord, "id" | "attempt">, settlement: Settlement): Statement {
  return settle(db, mailOutbox, claimed, settlement);
}

export function deleteMailBefore(db: Db, instant: number): Statement {
  return deleteSome(db, mailOutbox, lt(mailOutbox.created_at, instant));
}
