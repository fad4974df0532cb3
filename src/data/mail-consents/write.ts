import { and, eq, isNull, lt } from "drizzle-orm";
import { type Db, deleteSome, type Statement } from "../db.ts";
import type { MailConsentKey, MailConsentRecord } from "./read.ts";
import { mailConsents } from "./table.ts";

type Answer = Partial<Pick<MailConsentRecord, "asked_at" | "agreed_at" | "stopped_at">>;

/** Stores what changed: that the reader was asked, agreed, or wants no more. */
export function upsertMailConsent(
  db: Db,
  { account_id, address_hash }: MailConsentKey,
  { now, ...answer }: Answer & { now: number },
): Statement {
  return db
    .insert(mailConsents)
    .values({ account_id, address_hash, ...answer, created_at: now, updated_at: now })
    .onConflictDoUpdate({
      target: [mailConsents.address_hash, mailConsents.account_id],
      set: { ...answer, updated_at: now },
    });
}

/** What a user's own contact proved ends with the contact; that its reader wants no mail stays. */
export function deleteMailConsent(db: Db, { account_id, address_hash }: MailConsentKey): Statement {
  const { account_id: account, address_hash: hash, stopped_at } = mailConsents;
  return db.delete(mailConsents).where(and(eq(account, account_id), eq(hash, address_hash), isNull(stopped_at)));
}

/** Of addresses whose readers never answered. */
export function deleteUnansweredBefore(db: Db, before: number): Statement {
  const { asked_at, agreed_at, stopped_at } = mailConsents;
  return deleteSome(db, mailConsents, and(lt(asked_at, before), isNull(agreed_at), isNull(stopped_at)));
}
