import type { RequestScope } from "../../access/scope.ts";
import { deleteCredentialsOf } from "../../data/credentials/write.ts";
import type { Statement } from "../../data/db.ts";
import { listPagesOf } from "../../data/deleted-accounts/read.ts";
import { deleteHoldingsOf } from "../../data/deleted-accounts/write.ts";
import type { UserRecord } from "../../data/users/read.ts";
import { markVerified } from "../../data/users/write.ts";

/** Stored documents of more pages end by themselves within their minute. */
const PAGES_MAX = 100;

/**
 * Verifies the address of an account. Until now anybody could have created the account and planted something in it, so
 * every credential from before ends. An unverified account owns nothing (access/unverified.ts); what one still has from a
 * release that allowed it, through which others could get in or listen, ends as well. No effect on a verified account.
 */
export async function verifyAddress({ db, now }: RequestScope, user: UserRecord): Promise<Statement[]> {
  if (user.email_verified_at !== null) return [];
  const pages = await listPagesOf(db, user.id, PAGES_MAX);
  return [
    ...deleteHoldingsOf(db, { user_id: user.id, page_ids: pages.map(({ id }) => id) }),
    ...deleteCredentialsOf(db, user.id),
    markVerified(db, user.id, now),
  ];
}
