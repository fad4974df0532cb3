import type { RequestScope } from "../../access/scope.ts";
import { findLinkOwner, isLinkUsed } from "../../data/account-links/read.ts";
import { deleteAccountLink } from "../../data/account-links/write.ts";
import { findPasswordHash } from "../../data/sessions/read.ts";
import type { UserRecord } from "../../data/users/read.ts";
import { sha256Hex } from "../../platform/credentials.ts";
import { unusableLink } from "./password-reset.ts";
import { hasSecondFactor } from "./second-factor.ts";
import { acceptFactorOf, beginSession } from "./service.ts";

/** The account that a link printed by `npm run token -- --sign-in-link` opens, and whether that takes a code or gives a first password. */
export async function findSignInLink(
  ctx: RequestScope,
  token: string,
): Promise<{ user: UserRecord; needs_code: boolean; has_password: boolean } | undefined> {
  const found = await findLink(ctx, token);
  if (!found) return undefined;
  const { user } = found;
  const [needs_code, password] = await Promise.all([hasSecondFactor(ctx, user.id), findPasswordHash(ctx.db, user.id)]);
  return { user, needs_code, has_password: password !== null };
}

/**
 * Gives the cookies of a new session. A session may set a first password, which an API token may not. The link stands for
 * the password alone, so two-factor sign-in still asks for a code.
 */
export async function signInByLink(
  ctx: RequestScope,
  { token, code }: { token: string; code: string | null },
): Promise<string[]> {
  const found = await findLink(ctx, token);
  if (!found) throw unusableLink();
  const factor = await acceptFactorOf(ctx, found.user, { code });
  const { cookies } = await beginSession(ctx, found.user, {
    ...factor,
    statements: [deleteAccountLink(ctx.db, found.link.id), ...factor.statements],
    guards: [{ name: "stale", when: isLinkUsed(found.link.id), error: unusableLink() }, ...factor.guards],
  });
  return cookies;
}

function findLink(ctx: RequestScope, token: string) {
  return findLinkOwner(ctx.db, { kind: "sign_in", token_hash: sha256Hex(token), now: ctx.now });
}
