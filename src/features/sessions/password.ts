import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { forbidden, unauthenticated } from "../../contract/errors.ts";
import type { PasswordChange } from "../../contract/session.ts";
import { deleteAccountLinksOf } from "../../data/account-links/write.ts";
import { deleteTokensOf } from "../../data/credentials/write.ts";
import type { MailRecord } from "../../data/mail/read.ts";
import { insertMail } from "../../data/mail/write.ts";
import { findPasswordHash } from "../../data/sessions/read.ts";
import { deleteSessionsOf, markPasswordGiven, setPassword } from "../../data/sessions/write.ts";
import { findUser, type UserRecord } from "../../data/users/read.ts";
import { sendAfterResponse } from "../../delivery/mail.ts";
import { hashPassword } from "../../platform/password.ts";
import { acceptOwnPasskey, checkOwnPassword } from "./own-password.ts";
import { buildSecurityMail } from "./security-mail.ts";

/**
 * Ends all other sessions, and all tokens where the caller wants that. A first password takes nothing from anybody, so
 * only a later one is mailed.
 */
export async function changePassword(ctx: RequestScope, input: PasswordChange): Promise<void> {
  const { user_id, email, session_id, token_id } = requireUser(ctx);
  if ((await findIdempotentResult(ctx)) !== undefined) return;
  const [user, stored] = await Promise.all([findUser(ctx.db, user_id), findPasswordHash(ctx.db, user_id)]);
  if (!user) throw unauthenticated();
  // Otherwise a leaked token would become a password that outlives it.
  if (stored === null && token_id !== null) {
    throw forbidden("an API token cannot set a first password: use a password reset link or a sign-in link");
  }
  const confirmed = input.passkey ? await acceptOwnPasskey(ctx, input.passkey) : { statements: [], guards: [] };
  if (stored !== null && !input.passkey) {
    await checkOwnPassword(ctx, { given: input.current_password ?? "", stored, field: "current_password" });
  }
  const mail = stored === null ? null : await changeMail(ctx, user);
  const statements = [
    ...confirmed.statements,
    setPassword(ctx.db, { user_id, hash: hashPassword(ctx.settings, input.new_password), now: ctx.now }),
    deleteSessionsOf(ctx.db, user_id, session_id),
    deleteAccountLinksOf(ctx.db, user_id),
    ...(session_id === null ? [] : [markPasswordGiven(ctx.db, session_id, ctx.now)]),
    ...(input.end_tokens === true ? deleteTokensOf(ctx.db, user_id) : []),
    ...(mail ? [insertMail(ctx.db, mail)] : []),
  ];
  const summary = `${email} changed the password`;
  await commit(ctx, statements, {
    audit: { owner_id: user_id, target_type: "user", target_id: user_id, summary },
    guards: confirmed.guards,
  });
  if (mail) sendAfterResponse(ctx, mail);
}

function changeMail(ctx: RequestScope, user: UserRecord): Promise<MailRecord | null> {
  return buildSecurityMail(ctx, user, {
    subject: "Your password was changed",
    text: "Your password was changed, and all of your other sessions were ended.",
  });
}
