import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { toPrincipal } from "../../access/owners.ts";
import { requireUser, type UserPrincipal } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { expiredCookie, openSession } from "../../access/sessions.ts";
import { invalid, unauthenticated } from "../../contract/errors.ts";
import type { Login, PasswordChange } from "../../contract/session.ts";
import { findPasswordHash, findSession, findSignIn, type SessionRecord } from "../../data/sessions/read.ts";
import { deleteSession, deleteSessionsOf, setPassword } from "../../data/sessions/write.ts";
import { hashPassword, isPassword } from "../../platform/password.ts";

/** For the signed-in pages. */
export { findResetAccount, requestPasswordReset, resetPassword } from "./password-reset.ts";

export interface CurrentUser {
  user: Pick<UserPrincipal, "user_id" | "email" | "name" | "plan" | "beta">;
  session: SessionRecord | null;
  has_password: boolean;
}

/** A wrong password, an address without an account and an account without a password look and take the same. */
export async function signIn(
  ctx: RequestScope,
  { email, password }: Login,
): Promise<{ me: CurrentUser; cookie: string }> {
  const found = await findSignIn(ctx.db, email);
  if (!isPassword(ctx.settings.ROOT_SECRET, password, found?.hash ?? null) || !found) {
    throw unauthenticated("email or password is wrong");
  }
  const { record, statement, cookie } = openSession(ctx, found.user.id);
  const user = toPrincipal(found.user, { token_id: null, session_id: record.id }, ctx.settings);
  const signedIn = { ...ctx, principal: user };
  await commit(signedIn, [statement], { audit: sessionAudit(user, record.id, "in") });
  return { me: { user, session: record, has_password: true }, cookie };
}

/** The session is over for good; with an API token there is none to end. Gives the cookie that clears the browser's. */
export async function signOut(ctx: RequestScope): Promise<string> {
  const user = requireUser(ctx);
  const statements = user.session_id === null ? [] : [deleteSession(ctx.db, user.session_id)];
  await commit(ctx, statements, { audit: sessionAudit(user, user.session_id ?? user.user_id, "out") });
  return expiredCookie(ctx.publicUrl);
}

export async function getMe(ctx: RequestScope): Promise<CurrentUser> {
  const user = requireUser(ctx);
  const [hash, session] = await Promise.all([
    findPasswordHash(ctx.db, user.user_id),
    user.session_id === null ? undefined : findSession(ctx.db, user.session_id),
  ]);
  return { user, session: session ?? null, has_password: hash !== null };
}

/** Ends all sessions; a browser that asked for it gets a new one, as its cookie. */
export async function changePassword(ctx: RequestScope, input: PasswordChange): Promise<string | null> {
  const user = requireUser(ctx);
  if ((await findIdempotentResult(ctx)) !== undefined) return null;
  const { ROOT_SECRET } = ctx.settings;
  const stored = await findPasswordHash(ctx.db, user.user_id);
  if (stored !== null && !isPassword(ROOT_SECRET, input.current_password ?? "", stored)) {
    throw invalid("current_password is wrong", [{ path: "current_password", message: "is wrong" }]);
  }
  const hash = hashPassword(ROOT_SECRET, input.new_password);
  const next = user.session_id === null ? null : openSession(ctx, user.user_id);
  await commit(
    ctx,
    [
      setPassword(ctx.db, { user_id: user.user_id, hash, now: ctx.now }),
      deleteSessionsOf(ctx.db, user.user_id),
      ...(next ? [next.statement] : []),
    ],
    {
      audit: {
        owner_id: user.user_id,
        target_type: "user",
        target_id: user.user_id,
        summary: `${user.email} changed the password`,
      },
    },
  );
  return next?.cookie ?? null;
}

function sessionAudit(user: UserPrincipal, sessionId: string, way: "in" | "out") {
  return {
    owner_id: user.user_id,
    target_type: "session",
    target_id: sessionId,
    summary: `${user.email} signed ${way}`,
  };
}
