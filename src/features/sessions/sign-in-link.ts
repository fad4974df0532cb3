import type { RequestScope } from "../../access/scope.ts";
import { findLinkOwner, isLinkUsed } from "../../data/account-links/read.ts";
import { deleteAccountLink } from "../../data/account-links/write.ts";
import type { UserRecord } from "../../data/users/read.ts";
import { sha256Hex } from "../../platform/credentials.ts";
import { unusableLink } from "./password-reset.ts";
import { beginSession } from "./service.ts";

/** The account that a link printed by `npm run token -- --sign-in-link` opens. */
export async function findSignInLink(ctx: RequestScope, token: string): Promise<UserRecord | undefined> {
  return (await findLink(ctx, token))?.user;
}

/** Gives the cookie of a new session. A session may set a first password, which an API token may not. */
export async function signInByLink(ctx: RequestScope, token: string): Promise<string> {
  const found = await findLink(ctx, token);
  if (!found) throw unusableLink();
  const { cookie } = await beginSession(ctx, found.user, {
    before: [deleteAccountLink(ctx.db, found.link.id)],
    guards: [{ name: "stale", when: isLinkUsed(found.link.id), error: unusableLink() }],
  });
  return cookie;
}

function findLink(ctx: RequestScope, token: string) {
  return findLinkOwner(ctx.db, { kind: "sign_in", token_hash: sha256Hex(token), now: ctx.now });
}
