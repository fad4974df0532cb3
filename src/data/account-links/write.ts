import { eq, lte } from "drizzle-orm";
import { type Db, deleteSome, type Statement } from "../db.ts";
import type { AccountLinkRecord } from "./read.ts";
import { accountLinks } from "./table.ts";

export function insertAccountLink(db: Db, link: AccountLinkRecord): Statement {
  return db.insert(accountLinks).values(link);
}

/** Every link of an account becomes invalid with its password. */
export function deleteAccountLinksOf(db: Db, userId: string): Statement {
  return db.delete(accountLinks).where(eq(accountLinks.user_id, userId));
}

export function deleteAccountLink(db: Db, linkId: string): Statement {
  return db.delete(accountLinks).where(eq(accountLinks.id, linkId));
}

export function deleteExpiredAccountLinks(db: Db, now: number): Statement {
  return deleteSome(db, accountLinks, lte(accountLinks.expires_at, now));
}
