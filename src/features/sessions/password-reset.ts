import { commit } from "../../access/commit.ts";
import { toPrincipal } from "../../access/owners.ts";
import type { RequestScope } from "../../access/scope.ts";
import { openSession } from "../../access/sessions.ts";
import { invalid } from "../../contract/errors.ts";
import type { PasswordReset, PasswordResetRequest } from "../../contract/session.ts";
import { insertMail } from "../../data/mail/write.ts";
import { findPasswordHash, findSignIn, hasOtherPassword } from "../../data/sessions/read.ts";
import { deleteSessionsOf, setPassword } from "../../data/sessions/write.ts";
import { findUser, type UserRecord } from "../../data/users/read.ts";
import { formatMoment } from "../../lib/date-format.ts";
import { HOUR_MS } from "../../lib/durations.ts";
import { sealMail, sendAfterResponse } from "../../outbox/mail.ts";
import { hashPassword } from "../../platform/password.ts";
import { isPasswordLink, mintPasswordLink, readPasswordLink } from "../../platform/password-reset-tokens.ts";
import { incrementCounter } from "../../platform/rate-counters.ts";

/** For people who cannot sign in any more: whoever reads the account's mail may choose a new password. */
const VALID_MS = HOUR_MS;
const LINKS_PER_ACCOUNT_AND_HOUR = 3;

/** Whoever asks learns nothing of what came of it, not even by the time that it takes. */
export async function requestPasswordReset(ctx: RequestScope, { email }: PasswordResetRequest): Promise<void> {
  const found = await findSignIn(ctx.db, email);
  if (!found) return;
  ctx.defer(
    mailLink(ctx, found).catch((error: unknown) =>
      ctx.log.error("password link not mailed", error, { user_id: found.user.id }),
    ),
  );
}

async function mailLink(ctx: RequestScope, { user, hash }: { user: UserRecord; hash: string | null }): Promise<void> {
  const { ok } = await incrementCounter(ctx.env, {
    key: `password-link:${user.id}`,
    limit: LINKS_PER_ACCOUNT_AND_HOUR,
    window_ms: HOUR_MS,
    now: ctx.now,
    exact: true,
  });
  if (!ok) return;
  const expires_at = ctx.now + VALID_MS;
  const token = mintPasswordLink(ctx.settings.ROOT_SECRET, { user_id: user.id, expires_at }, hash);
  const lines = [
    "Hello,",
    "",
    `somebody asked for a new password for your account at ${ctx.publicUrl}.`,
    `To choose one, open this link by ${formatMoment(expires_at, "UTC")}:`,
    "",
    `${ctx.publicUrl}/app/reset?token=${token}`,
    "",
    "Opening it changes nothing yet, and it can be used once. The link is for you alone: please do not pass it on.",
    "",
    "If you did not ask for this, ignore this message: your password stays as it is.",
  ];
  const mail = await sealMail(ctx, { to: user.email, subject: "Choose a new password", text: lines.join("\n") });
  await commit(ctx, [insertMail(ctx.db, mail)], {
    audit: auditOf(user, `a link for a new password was mailed to ${user.email}`),
  });
  sendAfterResponse(ctx, mail);
}

/** Whose password a link may replace; undefined where we made no such link, or it is used or too old. */
export async function findResetAccount(
  ctx: RequestScope,
  token: string,
): Promise<{ user: UserRecord; hash: string | null } | undefined> {
  const link = readPasswordLink(token);
  if (!link || link.expires_at <= ctx.now) return undefined;
  const hash = await findPasswordHash(ctx.db, link.user_id);
  if (!isPasswordLink(ctx.settings.ROOT_SECRET, token, hash)) return undefined;
  const user = await findUser(ctx.db, link.user_id);
  return user && { user, hash };
}

/** Ends all sessions; the browser that has the link gets a new one, as its cookie. */
export async function resetPassword(ctx: RequestScope, { token, password }: PasswordReset): Promise<string> {
  const found = await findResetAccount(ctx, token);
  if (!found) throw unusable();
  const { user, hash: present } = found;
  const hash = hashPassword(ctx.settings.ROOT_SECRET, password);
  const session = openSession(ctx, user.id);
  const principal = toPrincipal(user, { token_id: null, session_id: session.record.id }, ctx.settings);
  const statements = [
    setPassword(ctx.db, { user_id: user.id, hash, now: ctx.now }),
    deleteSessionsOf(ctx.db, user.id),
    session.statement,
  ];
  await commit({ ...ctx, principal }, statements, {
    audit: auditOf(user, `${user.email} chose a new password by a mailed link`),
    guards: [{ name: "stale", when: hasOtherPassword(user.id, present), error: unusable() }],
  });
  return session.cookie;
}

function unusable() {
  return invalid("token was used, or is too old", [{ path: "token", message: "was used, or is too old" }]);
}

function auditOf({ id }: UserRecord, summary: string) {
  return { owner_id: id, target_type: "user", target_id: id, summary };
}
