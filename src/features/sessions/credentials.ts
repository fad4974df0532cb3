import { deleteAccountLinksOf } from "../../data/account-links/write.ts";
import type { Db, Statement } from "../../data/db.ts";
import { deletePassword, deleteSessionsOf } from "../../data/sessions/write.ts";
import { deleteTwoFactor } from "../../data/two-factor/write.ts";
import type { UserRecord } from "../../data/users/read.ts";
import { deleteTokensOf, markVerified } from "../../data/users/write.ts";

/**
 * Verifies the address of an account. Until now anybody could have created the account and kept a credential of it, so
 * every password, session, token, link and authenticator app from before ends. No effect on a verified account.
 */
export function verifyAddress(db: Db, user: UserRecord, now: number): Statement[] {
  if (user.email_verified_at !== null) return [];
  return [
    deletePassword(db, user.id),
    deleteSessionsOf(db, user.id),
    deleteTokensOf(db, user.id),
    deleteAccountLinksOf(db, user.id),
    ...deleteTwoFactor(db, user.id),
    markVerified(db, user.id, now),
  ];
}
